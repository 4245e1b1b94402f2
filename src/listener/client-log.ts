import type { Logger } from '#logging'
import { EVENTS } from './log-events.ts'
import type { Refusal } from './refusal.ts'

/** Log messages about clients, rate-limited by reason, and the number of abusive ones. */
export class ClientLog {
  /** Connections that were closed to protect other clients. */
  closed = 0
  readonly #logger: Logger

  constructor(logger: Logger) {
    this.#logger = logger
  }

  refused(client: string, { status, problem, advice }: Refusal): void {
    this.#logger.debug({ status, problem, client }, 'request refused')
    if (advice === undefined) return
    this.#logger.limited(problem).warn({ client, status, problem, advice }, EVENTS.REQUESTS_REFUSED)
  }

  abusive(client: string, reason: string): void {
    this.closed++
    this.#logger.limited(reason).warn({ client, reason }, EVENTS.ABUSIVE_CLIENT)
  }
}
