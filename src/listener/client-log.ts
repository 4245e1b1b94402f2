import type { Logger } from '#logging'
import type { ListenerCounts } from './listener-counts.ts'
import { EVENTS } from './log-events.ts'
import type { Refusal } from './refusal.ts'

/** Log messages about clients, rate-limited by reason. */
export class ClientLog {
  readonly #logger: Logger
  readonly #counts: ListenerCounts

  constructor(logger: Logger, counts: ListenerCounts) {
    this.#logger = logger
    this.#counts = counts
  }

  refused(client: string, { status, problem, advice }: Refusal): void {
    this.#logger.debug({ status, problem, client }, 'request refused')
    if (advice === undefined) return
    this.#logger.limited(problem).warn({ client, status, problem, advice }, EVENTS.REQUESTS_REFUSED)
  }

  abusive(client: string, reason: string): void {
    this.#counts.abusive++
    this.#logger.limited(reason).warn({ client, reason }, EVENTS.ABUSIVE_CLIENT)
  }
}
