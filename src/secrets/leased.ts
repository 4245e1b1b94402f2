import type { Clock } from '#schema'

/** What was read, and what tells it from what was read before. */
export interface Reading<T> {
  readonly content: T
  readonly version: string
}

/** How something is read and for how long it counts. */
export interface LeaseSettings<T> {
  /** Milliseconds for which what was read can be used. */
  readonly lease: number
  readonly clock: Clock
  read(): Promise<Reading<T>>
  /** Told of each reading that failed while an older one could still be used. */
  onKept(error: Error): void
  /** Told when a reading differs from the one before it. */
  onChange(): void
}

/** A failure is not tried again at once: whoever asks next would wait for the same. */
const FAILURE_PAUSE = 1_000

/** Content that is read when it is wanted and kept until its lease ends, on a clock that only goes forward. */
export class Leased<T> {
  readonly #settings: LeaseSettings<T>
  #kept: (Reading<T> & { readonly until: number }) | null = null
  #failed: { readonly error: Error; readonly until: number } | null = null
  #reading: Promise<T> | null = null
  #refreshing: Promise<void> | null = null

  constructor(settings: LeaseSettings<T>) {
    this.#settings = settings
  }

  /** What is known, read anew where the lease has ended; all who ask meanwhile share one reading. */
  async get(): Promise<T> {
    const now = this.#settings.clock.monotonic()
    if (this.#kept !== null && now < this.#kept.until) return this.#kept.content
    if (this.#reading === null && this.#failed !== null && now < this.#failed.until) throw this.#failed.error
    return this.#read()
  }

  /**
   * Reads anew now; nobody who asks has to wait for it. Where that fails, what was read last counts until its lease
   * ends. Never fails itself.
   */
  refresh(): Promise<void> {
    // A reading that has begun may be older than the change that made this one necessary.
    const begun = this.#reading ?? Promise.resolve()
    this.#refreshing ??= begun
      .then(ignore, ignore)
      .then(() => {
        this.#refreshing = null
        return this.#read()
      })
      .then(ignore, (error: Error) => {
        const { clock, onKept } = this.#settings
        if (this.#kept !== null && clock.monotonic() < this.#kept.until) onKept(error)
      })
    return this.#refreshing
  }

  #read(): Promise<T> {
    this.#reading ??= this.#readOnce().finally(() => {
      this.#reading = null
    })
    return this.#reading
  }

  async #readOnce(): Promise<T> {
    const { clock, lease, read, onChange } = this.#settings
    const begun = clock.monotonic()
    try {
      const reading = await read()
      const changed = this.#kept !== null && this.#kept.version !== reading.version
      this.#kept = { ...reading, until: begun + lease }
      this.#failed = null
      if (changed) onChange()
      return reading.content
    } catch (error) {
      this.#failed = { error: error as Error, until: clock.monotonic() + FAILURE_PAUSE }
      throw error
    }
  }
}

function ignore(): void {}
