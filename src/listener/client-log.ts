import type { Logger } from '#logging'
import type { Refusal } from './refusal.ts'

/** What the log says about clients: one warning for each reason and interval, since clients choose how often. */
export class ClientLog {
  readonly #logger: Logger

  constructor(logger: Logger) {
    this.#logger = logger
  }

  refused(client: string, { status, problem, advice }: Refusal): void {
    this.#logger.debug({ status, problem, client }, 'request refused')
    if (advice === undefined) return
    this.#logger.limited(problem).warn({ client, status, problem, advice }, 'requests are refused')
  }

  /** A connection is closed for what its client sent. */
  abusive(client: string, reason: string): void {
    this.#logger.limited(reason).warn({ client, reason }, 'connection of an abusive client closed')
  }
}
