import { type Header, INDEFINITE, isConstructed, readHeader } from './der-header.ts'
import { corrupt, overLimit } from './keystore-error.ts'
import { type Budget, limits } from './limits.ts'

const INTEGER = 0x02
const BIT_STRING = 0x03
const OCTET_STRING = 0x04
const OBJECT_IDENTIFIER = 0x06
const UTF8_STRING = 0x0c
const BMP_STRING = 0x1e
const SEQUENCE = 0x30
const SET = 0x31
const CONSTRUCTED = 0x20
const CONTEXT = 0x80

/** Decoding an OBJECT IDENTIFIER takes more than linear time; other types are limited by the size of the file. */
const MAX_BYTES: ReadonlyMap<number, number> = new Map([
  [INTEGER, 4_096],
  [OBJECT_IDENTIFIER, 64],
])

/** A constructed element that is being read; `bound` is the closest known end of an enclosing element. */
interface Open {
  readonly identifier: number
  readonly start: number
  readonly contentAt: number
  readonly end: number
  readonly bound: number
  readonly children: Der[]
}

/** One ASN.1 element; the methods throw a KeyStoreError that names the element where it has another type. */
export class Der {
  readonly #identifier: number
  readonly #content: Buffer
  readonly #children: readonly Der[]
  /** Tag, length and content as in the file. */
  readonly encoded: Buffer

  private constructor(identifier: number, encoded: Buffer, content: Buffer, children: readonly Der[]) {
    this.#identifier = identifier
    this.#content = content
    this.#children = children
    this.encoded = encoded
  }

  /**
   * Reads exactly one element, DER or BER with indefinite lengths; no bytes may follow it. Not recursive: depth, number and
   * size of elements are checked before they are allocated.
   */
  static read(bytes: Buffer, budget: Budget): Der {
    const open: Open[] = []
    let root: Der | null = null
    let at = 0
    let nodes = 0
    const close = (element: Der): void => {
      const parent = open.at(-1)
      if (parent === undefined) root = element
      else parent.children.push(element)
    }
    const closeOpen = (contentEnd: number): void => {
      const { identifier, start, contentAt, children } = open.pop()!
      close(new Der(identifier, bytes.subarray(start, at), bytes.subarray(contentAt, contentEnd), children))
    }
    do {
      const bound = open.at(-1)?.bound ?? bytes.length
      const start = at
      const header = readHeader(bytes, at, bound)
      nodes += 1
      if (header.identifier === 0) {
        if (header.length !== 0 || open.at(-1)?.end !== INDEFINITE) {
          throw corrupt(`ASN.1: stray end mark at offset ${start}`)
        }
        at = header.contentAt
        closeOpen(start)
      } else if (isConstructed(header.identifier)) {
        open.push(opened(header, start, bound))
        if (open.length > limits.derDepth) throw overLimit(`ASN.1: nested deeper than ${limits.derDepth}`)
        at = header.contentAt
      } else {
        checkPrimitive(header, start)
        at = header.contentAt + header.length
        const content = bytes.subarray(header.contentAt, at)
        close(new Der(header.identifier, bytes.subarray(start, at), content, []))
      }
      while (open.at(-1)?.end === at) closeOpen(at)
      if (nodes > limits.derNodes) break
    } while (open.length > 0)
    budget.spendNodes(nodes)
    if (at !== bytes.length) throw corrupt(`ASN.1: ${bytes.length - at} bytes follow the end`)
    return root!
  }

  /** The elements of a SEQUENCE, between `min` and `max` of them. */
  sequence(what: string, min = 0, max = Number.POSITIVE_INFINITY): readonly Der[] {
    if (!this.isSequence) throw this.#unexpected(what, 'a SEQUENCE')
    return this.#checkedChildren(what, min, max)
  }

  /** The elements of a SET. */
  set(what: string): readonly Der[] {
    if (this.#identifier !== SET) throw this.#unexpected(what, 'a SET')
    return this.#children
  }

  /** The one element inside an explicit context tag. */
  explicit(tag: number, what: string): Der {
    if (!this.isTagged(tag) || !isConstructed(this.#identifier)) throw this.#unexpected(what, `[${tag}]`)
    return this.#checkedChildren(what, 1, 1)[0]!
  }

  /** The bytes of an OCTET STRING, which BER may split. */
  octets(what: string): Buffer {
    if (!this.isOctets) throw this.#unexpected(what, 'an OCTET STRING')
    return this.#joined(what)
  }

  /** The bytes of an OCTET STRING under an implicit context tag. */
  taggedOctets(tag: number, what: string): Buffer {
    if (!this.isTagged(tag)) throw this.#unexpected(what, `[${tag}]`)
    return this.#joined(what)
  }

  /** The bytes of a BIT STRING without the count of unused bits. */
  bits(what: string): Buffer {
    if (this.#identifier !== BIT_STRING) throw this.#unexpected(what, 'a BIT STRING')
    return this.#content.subarray(1)
  }

  /** An OBJECT IDENTIFIER in dotted form. */
  oid(what: string): string {
    if (!this.isOid) throw this.#unexpected(what, 'an OBJECT IDENTIFIER')
    const [first, ...rest] = this.#arcs(what)
    const root = first! < 80n ? first! / 40n : 2n
    return [root, first! - root * 40n, ...rest].join('.')
  }

  /** A non-negative INTEGER that is a safe integer of JavaScript. */
  count(what: string): number {
    if (!this.isInteger) throw this.#unexpected(what, 'an INTEGER')
    const bytes = this.#content
    if (bytes.length === 0 || bytes[0]! > 0x7f) throw corrupt(`${what}: expected a number that is not negative`)
    const significant = bytes[0] === 0 ? bytes.subarray(1) : bytes
    if (significant.length > 6) throw corrupt(`${what}: a number of ${significant.length} bytes`)
    return significant.length === 0 ? 0 : significant.readUIntBE(0, significant.length)
  }

  /** The text of a BMPString or UTF8String. */
  text(what: string): string {
    if (this.#identifier === UTF8_STRING) return this.#content.toString('utf8')
    if (this.#identifier !== BMP_STRING) throw this.#unexpected(what, 'a BMPString')
    if (this.#content.length % 2 !== 0) throw corrupt(`${what}: a BMPString of ${this.#content.length} bytes`)
    return Buffer.from(this.#content).swap16().toString('utf16le')
  }

  get isSequence(): boolean {
    return this.#identifier === SEQUENCE
  }

  get isInteger(): boolean {
    return this.#identifier === INTEGER
  }

  get isOctets(): boolean {
    return (this.#identifier & ~CONSTRUCTED) === OCTET_STRING
  }

  get isOid(): boolean {
    return this.#identifier === OBJECT_IDENTIFIER
  }

  /** Whether it has this context tag. */
  isTagged(tag: number): boolean {
    return (this.#identifier & ~CONSTRUCTED) === (CONTEXT | tag)
  }

  #joined(what: string): Buffer {
    if (!isConstructed(this.#identifier)) return this.#content
    return Buffer.concat(this.#children.map((part) => part.octets(what)))
  }

  #arcs(what: string): bigint[] {
    const arcs: bigint[] = []
    let arc = 0n
    for (const byte of this.#content) {
      arc = (arc << 7n) | BigInt(byte & 0x7f)
      if (byte > 0x7f) continue
      arcs.push(arc)
      arc = 0n
    }
    if (arcs.length === 0 || this.#content.at(-1)! > 0x7f) throw corrupt(`${what}: not an OBJECT IDENTIFIER`)
    return arcs
  }

  #checkedChildren(what: string, min: number, max: number): readonly Der[] {
    const found = this.#children.length
    if (found >= min && found <= max) return this.#children
    throw corrupt(`${what}: expected ${min === max ? min : `${min} to ${max}`} parts, found ${found}`)
  }

  #unexpected(what: string, expected: string): Error {
    const identifier = this.#identifier
    return corrupt(
      `${what}: expected ${expected}, found ASN.1 tag ${identifier & 0x1f} of class ${(identifier >> 6) + 1}`,
    )
  }
}

function opened({ identifier, length, contentAt }: Header, start: number, bound: number): Open {
  const isBounded = length !== INDEFINITE
  const end = isBounded ? contentAt + length : INDEFINITE
  return { identifier, start, contentAt, end, bound: isBounded ? end : bound, children: [] }
}

function checkPrimitive({ identifier, length }: Header, at: number): void {
  if (length === INDEFINITE) throw corrupt(`ASN.1: a value without a length at offset ${at}`)
  if (length > (MAX_BYTES.get(identifier) ?? Number.POSITIVE_INFINITY)) {
    throw overLimit(`ASN.1: a value of type ${identifier} with ${length} bytes at offset ${at}`)
  }
}
