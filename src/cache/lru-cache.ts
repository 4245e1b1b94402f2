import { TagIndex } from './tag-index.ts'

/** Also a node of the list in the order of use. */
interface Entry<V> {
  readonly key: string
  readonly value: V
  readonly expiresAt: number
  readonly tags: readonly string[]
  newer: Entry<V> | null
  older: Entry<V> | null
}

/** A bounded LRU cache whose entries expire and can be invalidated by tag. */
export class LruCache<V extends object> {
  readonly #maxEntries: number
  readonly #entries = new Map<string, Entry<V>>()
  readonly #byTag = new TagIndex<Entry<V>>()
  #newest: Entry<V> | null = null
  #oldest: Entry<V> | null = null

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: string, now: number): V | null {
    const entry = this.#entries.get(key)
    if (entry === undefined || entry.expiresAt <= now) return null
    if (entry !== this.#newest) {
      this.#unlink(entry)
      this.#link(entry)
    }
    return entry.value
  }

  /** Returns the number of evicted entries. */
  set(key: string, value: V, expiresAt: number, tags: readonly string[]): number {
    const before = this.#entries.get(key)
    if (before !== undefined) this.#remove(before)
    const entry: Entry<V> = { key, value, expiresAt, tags, newer: null, older: null }
    this.#entries.set(key, entry)
    this.#byTag.add(entry, tags)
    this.#link(entry)
    let removed = 0
    for (; this.#entries.size > this.#maxEntries && this.#oldest !== null; removed++) this.#remove(this.#oldest)
    return removed
  }

  /** Returns the number of deleted entries, as the methods below do. */
  deleteTagged(tag: string): number {
    const entries = this.#byTag.withTag(tag)
    for (const entry of entries) this.#remove(entry)
    return entries.length
  }

  delete(key: string): number {
    const entry = this.#entries.get(key)
    if (entry === undefined) return 0
    this.#remove(entry)
    return 1
  }

  deleteExpired(now: number): number {
    let removed = 0
    for (const entry of this.#entries.values()) {
      if (entry.expiresAt > now) continue
      this.#remove(entry)
      removed++
    }
    return removed
  }

  clear(): number {
    const { size } = this.#entries
    this.#entries.clear()
    this.#byTag.clear()
    this.#newest = null
    this.#oldest = null
    return size
  }

  #remove(entry: Entry<V>): void {
    this.#entries.delete(entry.key)
    this.#byTag.delete(entry, entry.tags)
    this.#unlink(entry)
  }

  #link(entry: Entry<V>): void {
    entry.older = this.#newest
    if (this.#newest === null) this.#oldest = entry
    else this.#newest.newer = entry
    this.#newest = entry
  }

  #unlink(entry: Entry<V>): void {
    if (entry.newer === null) this.#newest = entry.older
    else entry.newer.older = entry.older
    if (entry.older === null) this.#oldest = entry.newer
    else entry.older.newer = entry.newer
    entry.newer = null
    entry.older = null
  }
}
