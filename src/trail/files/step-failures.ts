import type { LogEvent, Logger } from '#logging'

/** Steps beside the writing of lines. */
type FileStep = 'check' | 'checkpoint' | 'rotation' | 'retention' | 'compression' | 'close'

/** Logs failures of steps that are repeated: a failure that lasts is one entry. */
export class StepFailures {
  readonly #logger: Logger
  readonly #event: LogEvent
  readonly #file: string
  readonly #failing = new Set<FileStep>()

  constructor(logger: Logger, event: LogEvent, file: string) {
    this.#logger = logger
    this.#event = event
    this.#file = file
  }

  failed(step: FileStep, error: unknown): void {
    if (this.#failing.has(step)) return
    this.#failing.add(step)
    this.#logger.warn({ error, file: this.#file, step }, this.#event)
  }

  succeeded(step: FileStep): void {
    this.#failing.delete(step)
  }
}
