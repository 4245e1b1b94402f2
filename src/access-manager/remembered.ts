import type { Clock } from '#schema'

/** Something that is asked for once: many who wait share one question, and a failure counts for a little while. */
export class Remembered<T> {
  readonly #ask: () => Promise<T>
  readonly #clock: Clock
  readonly #pauseAfter: (error: unknown) => number
  #value: { readonly value: T } | null = null
  #asking: Promise<T> | null = null
  #failed: { readonly error: unknown; readonly until: number } | null = null

  /** `pauseAfter` says for how many milliseconds a failure is repeated to those who ask, without asking anew. */
  constructor(ask: () => Promise<T>, clock: Clock, pauseAfter: (error: unknown) => number) {
    this.#ask = ask
    this.#clock = clock
    this.#pauseAfter = pauseAfter
  }

  /** The value if it is known; null before. */
  get known(): T | null {
    return this.#value?.value ?? null
  }

  /** Whether somebody is being asked right now. */
  get pending(): Promise<T> | null {
    return this.#asking
  }

  get(): Promise<T> {
    if (this.#value !== null) return Promise.resolve(this.#value.value)
    if (this.#asking !== null) return this.#asking
    if (this.#failed !== null && this.#clock.monotonic() < this.#failed.until) return Promise.reject(this.#failed.error)
    this.#asking = this.#answer().finally(() => {
      this.#asking = null
    })
    return this.#asking
  }

  /** Asks again when next wanted. */
  forget(): void {
    this.#value = null
    this.#failed = null
  }

  async #answer(): Promise<T> {
    try {
      const value = await this.#ask()
      this.#value = { value }
      this.#failed = null
      return value
    } catch (error) {
      this.#failed = { error, until: this.#clock.monotonic() + this.#pauseAfter(error) }
      throw error
    }
  }
}
