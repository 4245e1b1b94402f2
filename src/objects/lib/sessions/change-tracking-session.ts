import { randomBytes } from 'node:crypto'
import { jsonCopy, type Session, type SessionRevocations } from '#http'
import type { JsonValue } from '#json'
import type { RecordChange, SharedRecord } from '#schema'
import { USERS } from './application-content.ts'
import type { NestedCookie } from './nested-cookie.ts'

/** Values of a session, and the changed names. */
interface State {
  readonly values: Map<string, unknown>
  readonly removed: Set<string>
  readonly set: Set<string>
}

/** A session that records its changes. It is decoded on first access: most requests do not use their session. */
export class ChangeTrackingSession implements Session {
  /** The cookie that holds the id, or the content, of the session. */
  readonly cookie: NestedCookie
  readonly revocations: SessionRevocations
  readonly isInCookies: boolean
  readonly #opened: SharedRecord | null
  #id: string | null
  #state: State | null = null
  #cleared = false
  #renewed = false

  /** `opened`: the session as it was stored; null for a new one. */
  constructor(
    opened: { readonly id: string; readonly content: SharedRecord } | null,
    cookie: NestedCookie,
    revocations: SessionRevocations,
    { isInCookies = false }: { readonly isInCookies?: boolean } = {},
  ) {
    this.cookie = cookie
    this.revocations = revocations
    this.isInCookies = isInCookies
    this.#id = opened?.id ?? null
    this.#opened = opened?.content ?? null
  }

  get id(): string {
    this.#id ??= randomBytes(32).toString('base64url')
    return this.#id
  }

  inCookie(name: string): readonly Session[] {
    const outer = this.cookie.around?.inCookie?.(name) ?? []
    return this.cookie.name === name ? [...outer, this] : outer
  }

  get(key: string): unknown {
    if (this.#state !== null) return this.#state.values.get(key) ?? null
    // Not decoded for a mere look, as that of the audit at each request.
    return this.#opened !== null && Object.hasOwn(this.#opened, key) ? (this.#opened[key] ?? null) : null
  }

  set(key: string, value: unknown): void {
    const copy = jsonCopy(value)
    if (copy === null) {
      this.delete(key)
      return
    }
    this.#decoded.values.set(key, copy)
    this.#decoded.set.add(key)
    this.#decoded.removed.delete(key)
  }

  delete(key: string): boolean {
    if (!this.#decoded.values.delete(key)) return false
    this.#decoded.set.delete(key)
    this.#decoded.removed.add(key)
    return true
  }

  keys(): Iterable<string> {
    return [...this.#decoded.values.keys()]
  }

  clear(): void {
    this.#cleared = true
    this.#decoded.values.clear()
    this.#decoded.removed.clear()
    this.#decoded.set.clear()
  }

  get isEmpty(): boolean {
    return this.#decoded.values.size === 0
  }

  renew(): void {
    this.#renewed = true
    this.#id = null
  }

  /** Whether the session gets a new id. */
  get isRenewed(): boolean {
    return this.#renewed
  }

  /** Null without changes. */
  get change(): RecordChange | null {
    if (!this.#renewed && this.#state === null) return null
    const { removed, set } = this.#decoded
    if (!this.#cleared && !this.#renewed && removed.size === 0 && set.size === 0) return null
    // A login renews the session.
    const isOfUser = this.#renewed || this.get(USERS) !== null
    return {
      clear: this.#cleared,
      remove: [...removed],
      set: this.#record([...set]),
      replaced: this.#replaced,
      isOfUser,
    }
  }

  /**
   * The changed values that the session had when it was opened: a logout that ends meanwhile removes the tokens that this request
   * has refreshed. A login is renewed, and a cleared session gets all of its values.
   */
  get #replaced(): readonly string[] {
    const opened = this.#opened
    if (opened === null || this.#renewed || this.#cleared) return []
    return [...this.#decoded.set].filter((key) => Object.hasOwn(opened, key))
  }

  /** All values. */
  get content(): Readonly<Record<string, JsonValue>> {
    return this.#record([...this.#decoded.values.keys()])
  }

  get #decoded(): State {
    this.#state ??= { values: new Map(Object.entries(this.#opened ?? {})), removed: new Set(), set: new Set() }
    return this.#state
  }

  #record(keys: readonly string[]): Record<string, JsonValue> {
    const record: Record<string, JsonValue> = Object.create(null)
    for (const key of keys) record[key] = this.#decoded.values.get(key) as JsonValue
    return record
  }
}
