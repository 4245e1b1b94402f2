import { equalsIgnoreCase } from '#http'
import type { TextTarget } from '#schema'
import { jsonString } from '../event.ts'
import type { AccessFields } from './access-fields.ts'

/** A header name. */
interface Name {
  /** In lower case, as HTTP/2 sends it, and as most clients of HTTP/1.1 do. */
  readonly lower: string
  readonly usual: string
  readonly bit: number
  /** Beginning of the first member, and of one that follows another. */
  readonly first: Uint8Array
  readonly next: Uint8Array
}

/** Names with a bit of their own. */
const MAX_NAMES = 31

/** What follows the members: the end of the last one is not written. */
export type MembersEnd = '"]' | '' | null

/**
 * Writes the included request headers of a flat list after `start`: the JSON of `fields.requestHeaders(headers)`, without braces and
 * without its end, which is returned. Null where a header has several values, or one with characters that JSON escapes.
 */
export function headerMembers(
  fields: AccessFields,
  start: string,
): (target: TextTarget, headers: readonly string[]) => MembersEnd {
  const included = fields.requestHeaderNames ?? new Set()
  if (included === 'all' || included.size > MAX_NAMES || included.has('cookie')) return () => null
  const none = Buffer.from(start)
  const members = new Members(namesByLength(included, start))
  return (target, headers) => {
    if (!members.collect(headers)) return null
    if (members.count > 0) return members.write(target) ? '"]' : null
    target.bytes(none)
    return ''
  }
}

/** The members of a request. Most requests of a client repeat those of the one before: they are kept, as bytes when they are repeated. */
class Members {
  readonly #known: readonly (readonly Name[] | undefined)[]
  readonly #names: Name[] = []
  readonly #values: string[] = []
  count = 0
  /** Whether they are those of the request before, which were written. */
  #isRepeated = false
  #bytes: Uint8Array | null = null

  constructor(known: readonly (readonly Name[] | undefined)[]) {
    this.#known = known
  }

  /** False where a header has several values. */
  collect(headers: readonly string[]): boolean {
    const before = this.count
    let isRepeated = true
    let found = 0
    this.count = 0
    for (let at = 0; at < headers.length; at += 2) {
      const name = nameOf(this.#known, headers[at]!)
      if (name === undefined) continue
      if ((found & name.bit) !== 0) {
        this.count = 0
        return false
      }
      found |= name.bit
      isRepeated = this.#add(name, headers[at + 1]!) && isRepeated
    }
    this.#isRepeated = isRepeated && this.count === before
    return true
  }

  /** Returns whether the request before had the same member. */
  #add(name: Name, value: string): boolean {
    const at = this.count++
    if (this.#names[at] === name && this.#values[at] === value) return true
    this.#names[at] = name
    this.#values[at] = value
    return false
  }

  /** False where a value has characters that JSON escapes. */
  write(target: TextTarget): boolean {
    if (this.#isRepeated) {
      this.#bytes ??= this.#encoded()
      return target.bytes(this.#bytes)
    }
    this.#bytes = null
    for (let at = 0; at < this.count; at++) {
      target.bytes(this.#beginning(at))
      if (target.plain(this.#values[at]!)) continue
      this.count = 0
      return false
    }
    return true
  }

  #beginning(at: number): Uint8Array {
    return at === 0 ? this.#names[at]!.first : this.#names[at]!.next
  }

  #encoded(): Uint8Array {
    const values = this.#values.slice(0, this.count)
    return Buffer.concat(values.flatMap((value, at) => [this.#beginning(at), Buffer.from(value)]))
  }
}

function namesByLength(included: ReadonlySet<string>, start: string): Name[][] {
  const names: Name[][] = []
  for (const [at, lower] of [...included].entries()) {
    const key = `${jsonString(lower)}:["`
    const usual = lower.replace(/(?<![a-z0-9])[a-z]/g, (letter) => letter.toUpperCase())
    const [first, next] = [Buffer.from(`${start}${key}`), Buffer.from(`"],${key}`)]
    names[lower.length] ??= []
    names[lower.length]!.push({ lower, usual, bit: 1 << at, first, next })
  }
  return names
}

/** Few names have the same length: to compare them costs less than to hash the name. */
function nameOf(names: readonly (readonly Name[] | undefined)[], sent: string): Name | undefined {
  const candidates = names[sent.length]
  if (candidates === undefined) return undefined
  for (const name of candidates) if (sent === name.usual || sent === name.lower) return name
  for (const name of candidates) if (equalsIgnoreCase(sent, name.lower)) return name
  return undefined
}
