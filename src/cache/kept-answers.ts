import { MarkIndex } from './mark-index.ts'

/** A kept answer; also a link of the list in the order of use. */
interface Entry<V> {
  readonly key: string
  readonly value: V
  readonly until: number
  readonly marks: readonly string[]
  newer: Entry<V> | null
  older: Entry<V> | null
}

/** Answers that are good until a time, no more of them than a limit: the one that was not used for longest makes room. */
export class KeptAnswers<V extends object> {
  readonly #limit: number
  readonly #entries = new Map<string, Entry<V>>()
  readonly #marked = new MarkIndex<Entry<V>>()
  #newest: Entry<V> | null = null
  #oldest: Entry<V> | null = null

  constructor(limit: number) {
    this.#limit = limit
  }

  get size(): number {
    return this.#entries.size
  }

  /** The answer while it is good. */
  get(key: string, now: number): V | null {
    const entry = this.#entries.get(key)
    if (entry === undefined || entry.until <= now) return null
    if (entry !== this.#newest) {
      this.#unlink(entry)
      this.#link(entry)
    }
    return entry.value
  }

  /** Keeps an answer; gives the number of those that had to make room. */
  keep(key: string, value: V, until: number, marks: readonly string[]): number {
    const before = this.#entries.get(key)
    if (before !== undefined) this.#remove(before)
    const entry: Entry<V> = { key, value, until, marks, newer: null, older: null }
    this.#entries.set(key, entry)
    this.#marked.add(entry, marks)
    this.#link(entry)
    let removed = 0
    for (; this.#entries.size > this.#limit && this.#oldest !== null; removed++) this.#remove(this.#oldest)
    return removed
  }

  /** Forgets what bears a mark; gives how many that were. */
  forgetMarked(mark: string): number {
    const bearers = this.#marked.bearing(mark)
    for (const entry of bearers) this.#remove(entry)
    return bearers.length
  }

  /** Forgets one answer; gives how many that were. */
  forget(key: string): number {
    const entry = this.#entries.get(key)
    if (entry === undefined) return 0
    this.#remove(entry)
    return 1
  }

  forgetExpired(now: number): number {
    let removed = 0
    for (const entry of this.#entries.values()) {
      if (entry.until > now) continue
      this.#remove(entry)
      removed++
    }
    return removed
  }

  clear(): number {
    const { size } = this.#entries
    this.#entries.clear()
    this.#marked.clear()
    this.#newest = null
    this.#oldest = null
    return size
  }

  #remove(entry: Entry<V>): void {
    this.#entries.delete(entry.key)
    this.#marked.remove(entry, entry.marks)
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
