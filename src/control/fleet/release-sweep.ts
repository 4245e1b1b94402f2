import type { Logger } from '#logging'
import type { EtcdReleases } from '#releases'

/** Milliseconds between sweeps: contents are removed after an hour without a release. */
const INTERVAL = 5 * 60_000

/** Input of a sweep. */
interface SweepInput {
  readonly releases: EtcdReleases
  readonly logger: Logger
  /** Whether this instance is the one that sweeps. */
  isOwn(): Promise<boolean>
}

/** Removes releases beyond `keepReleases`, and contents that no other has, from time to time. */
export class ReleaseSweep {
  readonly #input: SweepInput
  #timer: NodeJS.Timeout | null = null
  #isRunning = false

  constructor(input: SweepInput) {
    this.#input = input
  }

  start(): void {
    this.#timer = setInterval(() => void this.run(), INTERVAL).unref()
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
  }

  /** Failures are tried again by the next one; they affect nothing that is served. */
  async run(): Promise<void> {
    const { releases, logger, isOwn } = this.#input
    if (this.#isRunning) return
    this.#isRunning = true
    try {
      if (!(await isOwn())) return
      const { releases: count, contents } = await releases.sweep()
      if (count > 0 || contents > 0) logger.info({ releases: count, contents }, 'old releases removed from the store')
    } catch (error) {
      logger.debug({ error }, 'old releases can not be removed')
    } finally {
      this.#isRunning = false
    }
  }
}
