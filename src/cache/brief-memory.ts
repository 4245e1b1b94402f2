interface Remembered<V> {
  readonly value: V
  readonly until: number
}

/**
 * A small memory of things that are true for a moment, such as that a token is good for nothing. It has room of its own,
 * so that no flood of them can push better answers out; the first to come is the first to go.
 */
export class BriefMemory<V extends object> {
  readonly #limit: number
  readonly #time: number
  readonly #remembered = new Map<string, Remembered<V>>()

  constructor(limit: number, time: number) {
    this.#limit = limit
    this.#time = time
  }

  get size(): number {
    return this.#remembered.size
  }

  get(key: string, now: number): V | null {
    const found = this.#remembered.get(key)
    if (found === undefined) return null
    if (found.until > now) return found.value
    this.#remembered.delete(key)
    return null
  }

  remember(key: string, value: V, now: number): void {
    this.#remembered.delete(key)
    this.#remembered.set(key, { value, until: now + this.#time })
    if (this.#remembered.size <= this.#limit) return
    for (const first of this.#remembered.keys()) {
      this.#remembered.delete(first)
      return
    }
  }

  /** All times are equally long, so that the oldest come first. */
  forgetExpired(now: number): void {
    for (const [key, { until }] of this.#remembered) {
      if (until > now) return
      this.#remembered.delete(key)
    }
  }

  clear(): void {
    this.#remembered.clear()
  }
}
