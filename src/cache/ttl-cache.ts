interface Entry<V> {
  readonly value: V
  readonly expiresAt: number
}

/** A bounded cache in which all entries have the same TTL; at the limit the oldest entry is evicted. */
export class TtlCache<V extends object> {
  readonly #maxEntries: number
  readonly #ttl: number
  /** In the order of expiry. */
  readonly #entries = new Map<string, Entry<V>>()

  constructor(maxEntries: number, ttl: number) {
    this.#maxEntries = maxEntries
    this.#ttl = ttl
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: string, now: number): V | null {
    const entry = this.#entries.get(key)
    if (entry === undefined) return null
    if (entry.expiresAt > now) return entry.value
    this.#entries.delete(key)
    return null
  }

  set(key: string, value: V, now: number): void {
    this.#entries.delete(key)
    this.#entries.set(key, { value, expiresAt: now + this.#ttl })
    if (this.#entries.size <= this.#maxEntries) return
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest)
      return
    }
  }

  deleteExpired(now: number): void {
    for (const [key, { expiresAt }] of this.#entries) {
      if (expiresAt > now) return
      this.#entries.delete(key)
    }
  }

  clear(): void {
    this.#entries.clear()
  }
}
