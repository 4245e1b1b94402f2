import { type Exposure, exposed } from '#expression'
import { JsonNumber } from '#json'
import { equalsIgnoreCase, sameManagedName } from './ascii.ts'
import { dashedName } from './header-alias.ts'
import { isToken } from './token.ts'

/** A header name or value that could end its line or the head. */
export class InvalidHeaderError extends Error {
  override readonly name = 'InvalidHeaderError'
  readonly code = 'GW_HEADER_INVALID'
}

/** A value with characters that headers can not carry. */
export class HeaderEncodingError extends InvalidHeaderError {
  constructor(name: string) {
    super(`header ${name}: the value holds a character beyond its encoding`)
  }
}

const NOT_FIELD_CONTENT = /[^\t\x20-\x7e\x80-\xff]/
const CONTROL = /[\x00-\x08\x0a-\x1f\x7f]/

/** Header fields in their order and case, with case-insensitive lookup (RFC 9110 section 5). */
export class Headers {
  #list: string[]
  #borrowed: boolean
  /** Removed names, which trailers must not add again. */
  #removals: ((name: string) => boolean)[] | null = null
  /** In headers of a client: the names that the gateway has set. Null in all others. */
  #managed: string[] | null = null

  /** From the flat list of a parser; copied on the first write. */
  static fromRaw(raw: readonly string[]): Headers {
    const headers = new Headers()
    headers.#list = raw as string[]
    headers.#borrowed = true
    return headers
  }

  /**
   * Headers of a client. With a name that is set, added or removed, fields of the client whose names an upstream could confuse
   * with it are removed too (threats B15).
   */
  static ofClient(raw: readonly string[]): Headers {
    const headers = Headers.fromRaw(raw)
    headers.#managed = []
    return headers
  }

  constructor(entries?: Iterable<readonly [string, string]>) {
    this.#list = []
    this.#borrowed = false
    if (entries !== undefined) for (const [name, value] of entries) this.add(name, value)
  }

  get(name: string): string | null {
    const list = this.#list
    for (let i = 0; i < list.length; i += 2) if (equalsIgnoreCase(list[i]!, name)) return list[i + 1]!
    return null
  }

  all(name: string): string[] {
    const list = this.#list
    const values: string[] = []
    for (let i = 0; i < list.length; i += 2) if (equalsIgnoreCase(list[i]!, name)) values.push(list[i + 1]!)
    return values
  }

  has(name: string): boolean {
    return this.get(name) !== null
  }

  /** Replaces all values of a name, at the position of the first; an empty list removes it. */
  set(name: string, value: string | readonly string[]): void {
    const values = typeof value === 'string' ? [value] : value
    checkName(name)
    for (const each of values) checkValue(name, each)
    this.#manage(name)
    const kept: string[] = []
    let placed = false
    const place = () => {
      placed = true
      for (const each of values) kept.push(name, each)
    }
    const list = this.#list
    for (let i = 0; i < list.length; i += 2) {
      if (!equalsIgnoreCase(list[i]!, name)) kept.push(list[i]!, list[i + 1]!)
      else if (!placed) place()
    }
    if (!placed) place()
    this.#list = kept
    this.#borrowed = false
    if (values.length === 0) this.#recordRemovalOf(name)
  }

  add(name: string, value: string): void {
    checkName(name)
    checkValue(name, value)
    this.#manage(name)
    if (this.#borrowed) {
      this.#list = this.#list.slice()
      this.#borrowed = false
    }
    this.#list.push(name, value)
  }

  delete(name: string): boolean {
    if (this.#managed !== null) this.#removeVariants(name)
    this.#recordRemovalOf(name)
    return this.#remove((each) => equalsIgnoreCase(each, name)) > 0
  }

  /** Removes all fields whose name matches, and returns their number. */
  deleteWhere(matches: (name: string) => boolean): number {
    this.#recordRemoval(matches)
    return this.#remove(matches)
  }

  #remove(matches: (name: string) => boolean): number {
    const list = this.#list
    let kept: string[] | null = null
    for (let i = 0; i < list.length; i += 2) {
      const name = list[i]!
      if (matches(name)) kept ??= list.slice(0, i)
      else kept?.push(name, list[i + 1]!)
    }
    if (kept === null) return 0
    const removed = (list.length - kept.length) / 2
    this.#list = kept
    this.#borrowed = false
    return removed
  }

  #manage(name: string): void {
    if (this.#managed === null) return
    this.#removeVariants(name)
    if (!this.#isManaged(name)) this.#managed.push(name)
  }

  #removeVariants(name: string): void {
    const list = this.#list
    for (let i = 0; i < list.length; i += 2) {
      // Most names differ in their length.
      if (list[i]!.length !== name.length || !this.#isVariant(list[i]!, name)) continue
      this.#remove((other) => this.#isVariant(other, name))
      return
    }
  }

  #isVariant(other: string, name: string): boolean {
    return sameManagedName(other, name) && !equalsIgnoreCase(other, name) && !this.#isManaged(other)
  }

  #isManaged(name: string): boolean {
    for (const own of this.#managed ?? []) if (equalsIgnoreCase(own, name)) return true
    return false
  }

  /**
   * Whether fields of this name, or of one that an upstream could confuse with it, were removed, even without a match: a trailer
   * must not add them again (threats B15).
   */
  isRemoved(name: string): boolean {
    if (this.#removals === null) return false
    const dashed = dashedName(name)
    return this.#removals.some((matches) => matches(name) || matches(dashed))
  }

  /** In headers of a client together with the variants of the name. */
  #recordRemovalOf(name: string): void {
    const isSame = this.#managed === null ? equalsIgnoreCase : sameManagedName
    this.#recordRemoval((each) => isSame(each, name))
  }

  #recordRemoval(removal: (name: string) => boolean): void {
    this.#removals ??= []
    if (!this.#removals.includes(removal)) this.#removals.push(removal)
  }

  names(): string[] {
    const seen = new Set<string>()
    const names: string[] = []
    for (let i = 0; i < this.#list.length; i += 2) {
      const name = this.#list[i]!
      const key = name.toLowerCase()
      if (seen.has(key)) continue
      seen.add(key)
      names.push(name)
    }
    return names
  }

  *entries(): IterableIterator<[string, string]> {
    const list = this.#list
    for (let i = 0; i < list.length; i += 2) yield [list[i]!, list[i + 1]!]
  }

  [Symbol.iterator](): IterableIterator<[string, string]> {
    return this.entries()
  }

  raw(): readonly string[] {
    return this.#list
  }

  /** The fields as they are now: later changes do not affect the list. */
  snapshot(): readonly string[] {
    this.#borrowed = true
    return this.#list
  }

  clone(): Headers {
    const copy = Headers.fromRaw(this.snapshot())
    if (this.#removals !== null) copy.#removals = [...this.#removals]
    if (this.#managed !== null) copy.#managed = [...this.#managed]
    return copy
  }

  get [exposed](): Exposure<Headers> {
    return EXPOSURE
  }
}

function checkName(name: string): void {
  if (!isToken(name)) {
    throw new InvalidHeaderError(
      `header name: expected a token (RFC 9110 section 5.6.2), got ${JSON.stringify(name.slice(0, 60))}`,
    )
  }
}

function checkValue(name: string, value: string): void {
  if (typeof value === 'string' && !NOT_FIELD_CONTENT.test(value)) return
  if (typeof value === 'string' && !CONTROL.test(value)) throw new HeaderEncodingError(name)
  throw new InvalidHeaderError(
    `header ${name}: the value holds a line break or a control character; remove or encode it`,
  )
}

/** The values an expression may assign to a header: text, number, boolean, or a list of those. */
function headerValues(value: unknown): string[] {
  if (Array.isArray(value)) return value.filter((each) => each !== null && each !== undefined).map(headerText)
  return [headerText(value)]
}

function headerText(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  if (value instanceof JsonNumber) return value.text
  throw new InvalidHeaderError(`header value: expected text or a list of text, got ${typeof value}`)
}

function assign(headers: Headers, key: string | number, value: unknown): void {
  const name = String(key)
  if (value === null || value === undefined) headers.delete(name)
  else headers.set(name, headerValues(value))
}

const EXPOSURE: Exposure<Headers> = {
  kind: 'headers',
  index: (self, key) => {
    const values = self.all(String(key))
    return values.length === 0 ? null : values
  },
  assignIndex: assign,
  keys: (self) => self.names(),
  call: {
    getFirst: (self, name) => self.get(String(name)),
    get: (self, name) => {
      const values = self.all(String(name))
      return values.length === 0 ? null : values
    },
    containsKey: (self, name) => self.has(String(name)),
    isEmpty: (self) => self.raw().length === 0,
    size: (self) => self.names().length,
  },
}
