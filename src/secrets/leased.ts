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
  /** Told when reading fails, once for each reason; `kept` is for how long an older reading still counts. */
  onFailure(error: Error, kept: number): void
  /** Told when reading works again after a failure. */
  onRecovery(): void
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

  /** What was read last, while it counts. */
  get kept(): T | null {
    return this.#kept !== null && this.#remaining() > 0 ? this.#kept.content : null
  }

  /** What is known, read anew where the lease has ended; all who ask meanwhile share one reading. */
  async get(): Promise<T> {
    if (this.#kept !== null && this.#remaining() > 0) return this.#kept.content
    const now = this.#settings.clock.monotonic()
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
      .then(ignore, ignore)
    return this.#refreshing
  }

  #remaining(): number {
    return this.#kept === null ? 0 : Math.max(0, this.#kept.until - this.#settings.clock.monotonic())
  }

  #read(): Promise<T> {
    this.#reading ??= this.#readOnce().finally(() => {
      this.#reading = null
    })
    return this.#reading
  }

  async #readOnce(): Promise<T> {
    const { clock, lease, read, onChange, onRecovery } = this.#settings
    const begun = clock.monotonic()
    let reading: Reading<T>
    try {
      reading = await read()
    } catch (error) {
      this.#fail(error as Error)
      throw error
    }
    const changed = this.#kept !== null && this.#kept.version !== reading.version
    this.#kept = { ...reading, until: begun + lease }
    if (this.#failed !== null) onRecovery()
    this.#failed = null
    if (changed) onChange()
    return reading.content
  }

  #fail(error: Error): void {
    const known = this.#failed?.error.message === error.message
    this.#failed = { error, until: this.#settings.clock.monotonic() + FAILURE_PAUSE }
    if (!known) this.#settings.onFailure(error, this.#remaining())
  }
}

function ignore(): void {}
