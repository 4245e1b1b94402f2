import { jsonCopy, type Session } from '#http'
import type { JsonValue } from '#json'
import type { KeptRecord, RecordChange } from '#schema'

/** A session that knows what has changed since it was opened. */
export class ChangingSession implements Session {
  readonly #values: Map<string, unknown>
  readonly #removed = new Set<string>()
  readonly #set = new Set<string>()
  #cleared = false
  #renewed = false

  constructor(content: KeptRecord | null) {
    this.#values = new Map(content === null ? [] : Object.entries(content))
  }

  get(key: string): unknown {
    return this.#values.get(key) ?? null
  }

  set(key: string, value: unknown): void {
    const copy = jsonCopy(value)
    if (copy === null) {
      this.delete(key)
      return
    }
    this.#values.set(key, copy)
    this.#set.add(key)
    this.#removed.delete(key)
  }

  delete(key: string): boolean {
    if (!this.#values.delete(key)) return false
    this.#set.delete(key)
    this.#removed.add(key)
    return true
  }

  keys(): Iterable<string> {
    return [...this.#values.keys()]
  }

  clear(): void {
    this.#cleared = true
    this.#values.clear()
    this.#removed.clear()
    this.#set.clear()
  }

  get isEmpty(): boolean {
    return this.#values.size === 0
  }

  renew(): void {
    this.#renewed = true
  }

  /** Whether it is to be known by another name. */
  get isRenewed(): boolean {
    return this.#renewed
  }

  /** What has changed; null where nothing has. */
  get change(): RecordChange | null {
    if (!this.#cleared && !this.#renewed && this.#removed.size === 0 && this.#set.size === 0) return null
    return { clear: this.#cleared, remove: [...this.#removed], set: this.#record([...this.#set]) }
  }

  /** Everything it holds. */
  get content(): Readonly<Record<string, JsonValue>> {
    return this.#record([...this.#values.keys()])
  }

  #record(keys: readonly string[]): Record<string, JsonValue> {
    const record: Record<string, JsonValue> = Object.create(null)
    for (const key of keys) record[key] = this.#values.get(key) as JsonValue
    return record
  }
}
