import { equalsIgnoreCase } from '#http'
import { jsonString } from '#logging'
import type { AccessFields } from './access-fields.ts'
import { NOT_WRITTEN, writeBytes, writePlain } from './text-bytes.ts'

/** A header name. */
interface Name {
  /** In lower case, as HTTP/2 sends it, and as most clients of HTTP/1.1 do. */
  readonly lower: string
  readonly usual: string
  /** 0 for a name that is no member. */
  readonly bit: number
  /** Beginning of the first member, and of one that follows another. */
  readonly first: Uint8Array
  readonly next: Uint8Array
}

/** Names with a bit of their own. */
const MAX_NAMES = 31
/** Characters of all values of a request. */
const MAX_VALUES = 8_192
/** The end of a member. */
const END = Buffer.from('"]')
const TRACE = 'traceparent'

/**
 * The included request headers of a flat list after a text: the JSON of `fields.requestHeaders(headers)`, without braces. Most requests
 * of a client repeat those of the one before: they are kept, as bytes when they are repeated.
 */
export class HeaderMembers {
  readonly #start: Uint8Array
  /** Null where the members can not be written. */
  readonly #known: readonly (readonly Name[] | undefined)[] | null
  readonly #names: Name[] = []
  readonly #values: string[] = []
  #count = 0
  /** Bytes of the members of any request. */
  readonly maxBytes: number
  /** Whether the last request had a header `traceparent`. */
  hasTrace = false
  /** Whether they are those of the request before, which were written. */
  #isRepeated = false
  #bytes: Uint8Array | null = null

  constructor(fields: AccessFields, start: string) {
    const included = fields.requestHeaderNames ?? new Set()
    const isUsual = included !== 'all' && included.size <= MAX_NAMES && !included.has('cookie')
    this.#start = Buffer.from(start)
    const names = isUsual ? namesOf(included, start) : []
    this.#known = isUsual ? byLength(names) : null
    this.maxBytes = names.reduce((bytes, { first }) => bytes + first.length + END.length, MAX_VALUES)
  }

  /** Reads the headers of a request. False where they can not be written: one has several values, or all are too long. */
  read(headers: readonly string[]): boolean {
    const known = this.#known
    if (known === null) return false
    const before = this.#count
    let isRepeated = true
    let found = 0
    let characters = 0
    this.#count = 0
    this.hasTrace = false
    for (let at = 0; at < headers.length; at += 2) {
      const name = nameOf(known, headers[at]!)
      if (name === undefined) continue
      if (name.lower === TRACE) this.hasTrace = true
      if (name.bit === 0) continue
      const value = headers[at + 1]!
      characters += value.length
      if ((found & name.bit) !== 0 || characters > MAX_VALUES) {
        this.#count = 0
        return false
      }
      found |= name.bit
      isRepeated = this.#add(name, value) && isRepeated
    }
    this.#isRepeated = isRepeated && this.#count === before
    return true
  }

  /** Returns whether the request before had the same member. */
  #add(name: Name, value: string): boolean {
    const at = this.#count++
    if (this.#names[at] === name && this.#values[at] === value) return true
    this.#names[at] = name
    this.#values[at] = value
    return false
  }

  /** Writes the members of the request that was read; NOT_WRITTEN where a value has characters that JSON escapes. */
  write(memory: Buffer, at: number): number {
    if (this.#count === 0) return writeBytes(memory, at, this.#start)
    if (!this.#isRepeated) return this.#writeEach(memory, at)
    this.#bytes ??= this.#encoded()
    return writeBytes(memory, at, this.#bytes)
  }

  #writeEach(memory: Buffer, start: number): number {
    this.#bytes = null
    let at = start
    for (let each = 0; each < this.#count; each++) {
      at = writePlain(memory, writeBytes(memory, at, this.#beginning(each)), this.#values[each]!)
    }
    // Not the same again: they were not written.
    if (at < 0) this.#count = 0
    return at < 0 ? NOT_WRITTEN : writeBytes(memory, at, END)
  }

  #beginning(at: number): Uint8Array {
    return at === 0 ? this.#names[at]!.first : this.#names[at]!.next
  }

  #encoded(): Uint8Array {
    const values = this.#values.slice(0, this.#count)
    return Buffer.concat([...values.flatMap((value, at) => [this.#beginning(at), Buffer.from(value)]), END])
  }
}

function namesOf(included: ReadonlySet<string>, start: string): Name[] {
  return [...new Set([...included, TRACE])].map((lower, at) => {
    const key = `${jsonString(lower)}:["`
    const usual = lower.replace(/(?<![a-z0-9])[a-z]/g, (letter) => letter.toUpperCase())
    const [first, next] = [Buffer.from(`${start}${key}`), Buffer.from(`"],${key}`)]
    return { lower, usual, bit: included.has(lower) ? 1 << at : 0, first, next }
  })
}

function byLength(names: readonly Name[]): Name[][] {
  const lists: Name[][] = []
  for (const name of names) {
    const { length } = name.lower
    lists[length] = [...(lists[length] ?? []), name]
  }
  return lists
}

/** Few names have the same length: to compare them costs less than to hash the name. */
function nameOf(names: readonly (readonly Name[] | undefined)[], sent: string): Name | undefined {
  const candidates = names[sent.length]
  if (candidates === undefined) return undefined
  for (const name of candidates) if (sent === name.usual || sent === name.lower) return name
  for (const name of candidates) if (equalsIgnoreCase(sent, name.lower)) return name
  return undefined
}
