import { jsonCopy, type Session, type SessionRevocations } from '#http'
import type { JsonValue } from '#json'
import type { RecordChange, SharedRecord } from '#schema'
import type { CookiePart } from './cookie-part.ts'

/** Values of a session, and the names that were changed. */
interface State {
  readonly values: Map<string, unknown>
  readonly removed: Set<string>
  readonly set: Set<string>
}

/** A session that records its changes. It is decoded on first access: most requests never use theirs. */
export class ChangingSession implements Session {
  /** Where the client keeps its name, or all of it. */
  readonly cookie: CookiePart
  readonly revocations: SessionRevocations
  readonly isInCookies: boolean
  readonly #opened: SharedRecord | null
  #state: State | null = null
  #cleared = false
  #renewed = false

  constructor(
    content: SharedRecord | null,
    cookie: CookiePart,
    revocations: SessionRevocations,
    { isInCookies = false }: { readonly isInCookies?: boolean } = {},
  ) {
    this.cookie = cookie
    this.revocations = revocations
    this.isInCookies = isInCookies
    this.#opened = content
  }

  get(key: string): unknown {
    return this.#known.values.get(key) ?? null
  }

  set(key: string, value: unknown): void {
    const copy = jsonCopy(value)
    if (copy === null) {
      this.delete(key)
      return
    }
    this.#known.values.set(key, copy)
    this.#known.set.add(key)
    this.#known.removed.delete(key)
  }

  delete(key: string): boolean {
    if (!this.#known.values.delete(key)) return false
    this.#known.set.delete(key)
    this.#known.removed.add(key)
    return true
  }

  keys(): Iterable<string> {
    return [...this.#known.values.keys()]
  }

  clear(): void {
    this.#cleared = true
    this.#known.values.clear()
    this.#known.removed.clear()
    this.#known.set.clear()
  }

  get isEmpty(): boolean {
    return this.#known.values.size === 0
  }

  renew(): void {
    this.#renewed = true
  }

  /** Whether it is to be known by another name. */
  get isRenewed(): boolean {
    return this.#renewed
  }

  /** Null without changes. */
  get change(): RecordChange | null {
    if (!this.#renewed && this.#state === null) return null
    const { removed, set } = this.#known
    if (!this.#cleared && !this.#renewed && removed.size === 0 && set.size === 0) return null
    return { clear: this.#cleared, remove: [...removed], set: this.#record([...set]) }
  }

  /** Everything it holds. */
  get content(): Readonly<Record<string, JsonValue>> {
    return this.#record([...this.#known.values.keys()])
  }

  get #known(): State {
    this.#state ??= { values: new Map(Object.entries(this.#opened ?? {})), removed: new Set(), set: new Set() }
    return this.#state
  }

  #record(keys: readonly string[]): Record<string, JsonValue> {
    const record: Record<string, JsonValue> = Object.create(null)
    for (const key of keys) record[key] = this.#known.values.get(key) as JsonValue
    return record
  }
}
