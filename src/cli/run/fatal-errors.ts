import type { EventEmitter } from 'node:events'
import type { Logger } from '#logging'
import { EXIT } from '../exit-codes.ts'
import { EVENTS } from '../log-events.ts'

/** Reactions to an uncaught error. */
interface FatalHandling {
  readonly logger: Logger
  /** Longest time for a drain, in milliseconds. */
  readonly deadline: number
  readonly source?: EventEmitter
  readonly exit?: (code: number) => void
}

/**
 * Uncaught errors of the control thread, unhandled rejections included (ADR 22). Its state is unknown after the first: the
 * gateway drains, so that in-flight requests get their responses. A second error, or a drain that times out, ends the
 * process at once.
 */
export class FatalErrors implements Disposable {
  readonly #first = Promise.withResolvers<unknown>()
  readonly #handling: FatalHandling
  readonly #source: EventEmitter
  #timer: NodeJS.Timeout | null = null

  constructor(handling: FatalHandling) {
    this.#handling = handling
    this.#source = handling.source ?? process
    this.#source.on('uncaughtException', this.#take)
  }

  /** Resolves with the first error. */
  get first(): Promise<unknown> {
    return this.#first.promise
  }

  readonly #take = (error: unknown, origin: string): void => {
    const { logger, deadline } = this.#handling
    if (this.#timer !== null) {
      logger.error({ error, origin }, EVENTS.SECOND_UNCAUGHT_ERROR)
      this.#exit()
      return
    }
    logger.error({ error, origin }, EVENTS.UNCAUGHT_ERROR)
    this.#timer = setTimeout(() => {
      logger.error({ deadline }, EVENTS.DRAIN_TIMED_OUT)
      this.#exit()
    }, deadline)
    this.#first.resolve(error)
  }

  #exit(): void {
    const exit = this.#handling.exit ?? process.exit
    exit(EXIT.failed)
  }

  [Symbol.dispose](): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#source.off('uncaughtException', this.#take)
  }
}
