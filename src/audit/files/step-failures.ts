import type { Logger } from '#logging'
import { EVENTS } from './log-events.ts'

/** Steps beside the writing of events. */
type FileStep = 'check' | 'checkpoint' | 'rotation' | 'retention' | 'compression' | 'close'

/** Logs failures of steps that are repeated: a failure that lasts is one entry. */
export class StepFailures {
  readonly #logger: Logger
  readonly #file: string
  readonly #failing = new Set<FileStep>()

  constructor(logger: Logger, file: string) {
    this.#logger = logger
    this.#file = file
  }

  failed(step: FileStep, error: unknown): void {
    if (this.#failing.has(step)) return
    this.#failing.add(step)
    this.#logger.warn({ error, file: this.#file, step }, EVENTS.STEP_FAILED)
  }

  succeeded(step: FileStep): void {
    this.#failing.delete(step)
  }
}
