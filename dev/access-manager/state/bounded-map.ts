/** A map with a maximum size; the oldest entry is evicted. */
export class BoundedMap<K, V> {
  readonly #entries = new Map<K, V>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: K): V | undefined {
    return this.#entries.get(key)
  }

  has(key: K): boolean {
    return this.#entries.has(key)
  }

  set(key: K, value: V): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    if (this.#entries.size <= this.#most) return
    const [oldest] = this.#entries.keys()
    this.#entries.delete(oldest as K)
  }

  delete(key: K): boolean {
    return this.#entries.delete(key)
  }

  values(): IteratorObject<V> {
    return this.#entries.values()
  }

  entries(): IteratorObject<[K, V]> {
    return this.#entries.entries()
  }
}
