/** Values in each generation, and the longest text whose value is remembered. */
const MAX_VALUES = 1_000
const MAX_LENGTH = 4_096

/**
 * Values derived from texts of recent requests, such as the digest of a token: SHA-256 of a JWT costs more than the rest of a cache
 * hit. They are remembered for one to two intervals of `forget`, in two generations, so that a text in use is not forgotten.
 */
export class RecentValues<V> {
  #recent = new Map<string, V>()
  #older = new Map<string, V>()

  get size(): number {
    return this.#recent.size + this.#older.size
  }

  get(text: string): V | undefined {
    const value = this.#recent.get(text)
    return value === undefined ? this.#promoted(text) : value
  }

  set(text: string, value: V): void {
    if (text.length > MAX_LENGTH) return
    if (this.#recent.size >= MAX_VALUES) this.forget()
    this.#recent.set(text, value)
  }

  /** Forgets the texts that were not used since the last call; call it periodically. */
  forget(): void {
    this.#older = this.#recent
    this.#recent = new Map()
  }

  #promoted(text: string): V | undefined {
    const value = this.#older.get(text)
    if (value !== undefined) this.set(text, value)
    return value
  }
}
