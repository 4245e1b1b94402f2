import { type Logger, onceEvery, type RepeatGuard } from '#logging'
import type { Refusal } from './request-head.ts'

/** Clients choose how often they are refused or cut off: the log must not be theirs to fill. */
const WARNING_INTERVAL = 10_000

/** What the log says about clients: one warning for each reason and interval. */
export class ClientLog {
  readonly #logger: Logger
  readonly #guard: RepeatGuard = onceEvery({ now: () => performance.now() }, WARNING_INTERVAL)

  constructor(logger: Logger) {
    this.#logger = logger
  }

  refused(client: string, { status, problem, advice }: Refusal): void {
    this.#logger.debug({ status, problem, client }, 'request refused')
    if (advice !== undefined) this.#warn({ client, status, problem, advice }, problem, 'requests are refused')
  }

  /** A connection is closed for what its client sent. */
  abusive(client: string, reason: string): void {
    this.#warn({ client, reason }, reason, 'connection of an abusive client closed')
  }

  #warn(fields: Readonly<Record<string, unknown>>, key: string, message: string): void {
    const suppressed = this.#guard.admit(key)
    if (suppressed !== null) this.#logger.warn({ ...fields, suppressed }, message)
  }
}
