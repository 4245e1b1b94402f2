import {
  type BaseBlock,
  BmpString,
  Constructed,
  Set as DerSet,
  type FromBerResult,
  fromBER,
  Integer,
  ObjectIdentifier,
  OctetString,
  Primitive,
  Sequence,
  Utf8String,
} from 'asn1js'
import { checkShape } from './der-shape.ts'
import { corrupt } from './keystore-error.ts'
import { type Budget, limits } from './limits.ts'

const CONTEXT = 3

/** One element of ASN.1, taken apart by what is expected of it: anything else is a KeyStoreError that names it. */
export class Der {
  readonly #block: BaseBlock

  private constructor(block: BaseBlock) {
    this.#block = block
  }

  /** Reads exactly one element, DER or BER with indefinite lengths, that fills the bytes. */
  static read(bytes: Buffer, budget: Budget): Der {
    checkShape(bytes, budget)
    const { offset, result } = parsed(bytes)
    if (offset !== bytes.length || result.error !== '') throw corrupt('ASN.1: not well-formed')
    return new Der(result)
  }

  /** The element as it stands in the file. */
  get encoded(): Buffer {
    return viewOf(this.#block.valueBeforeDecodeView)
  }

  /** The elements of a SEQUENCE, between `min` and `max` of them. */
  sequence(what: string, min = 0, max = Number.POSITIVE_INFINITY): readonly Der[] {
    if (!(this.#block instanceof Sequence)) throw this.#unexpected(what, 'a SEQUENCE')
    return this.#children(this.#block, what, min, max)
  }

  /** The elements of a SET. */
  set(what: string): readonly Der[] {
    if (!(this.#block instanceof DerSet)) throw this.#unexpected(what, 'a SET')
    return this.#children(this.#block, what, 0, Number.POSITIVE_INFINITY)
  }

  /** The one element inside an explicit context tag. */
  explicit(tag: number, what: string): Der {
    if (!this.isTagged(tag) || !(this.#block instanceof Constructed)) throw this.#unexpected(what, `[${tag}]`)
    return this.#children(this.#block, what, 1, 1)[0]!
  }

  /** The bytes of an OCTET STRING, put together where BER has cut it in pieces. */
  octets(what: string): Buffer {
    if (!(this.#block instanceof OctetString)) throw this.#unexpected(what, 'an OCTET STRING')
    return joined(this.#block)
  }

  /** The bytes of an OCTET STRING under an implicit context tag. */
  taggedOctets(tag: number, what: string): Buffer {
    if (!this.isTagged(tag)) throw this.#unexpected(what, `[${tag}]`)
    if (this.#block instanceof Primitive) return viewOf(this.#block.valueBlock.valueHexView)
    return Buffer.concat(
      this.#children(this.#block as Constructed, what, 0, Number.POSITIVE_INFINITY).map((part) => part.octets(what)),
    )
  }

  /** An OBJECT IDENTIFIER in dotted form. */
  oid(what: string): string {
    if (!(this.#block instanceof ObjectIdentifier)) throw this.#unexpected(what, 'an OBJECT IDENTIFIER')
    return this.#block.getValue()
  }

  /** An INTEGER that is not negative and small enough to count with. */
  count(what: string): number {
    if (!(this.#block instanceof Integer)) throw this.#unexpected(what, 'an INTEGER')
    const bytes = viewOf(this.#block.valueBlock.valueHexView)
    if (bytes.length === 0 || bytes[0]! > 0x7f) throw corrupt(`${what}: expected a number that is not negative`)
    const significant = bytes[0] === 0 ? bytes.subarray(1) : bytes
    if (significant.length > 6) throw corrupt(`${what}: a number of ${significant.length} bytes`)
    return significant.length === 0 ? 0 : significant.readUIntBE(0, significant.length)
  }

  /** The text of a BMPString or UTF8String. */
  text(what: string): string {
    if (this.#block instanceof BmpString || this.#block instanceof Utf8String) return this.#block.getValue()
    throw this.#unexpected(what, 'a BMPString')
  }

  get isSequence(): boolean {
    return this.#block instanceof Sequence
  }

  get isInteger(): boolean {
    return this.#block instanceof Integer
  }

  get isOctets(): boolean {
    return this.#block instanceof OctetString
  }

  get isOid(): boolean {
    return this.#block instanceof ObjectIdentifier
  }

  /** Whether it carries this context tag. */
  isTagged(tag: number): boolean {
    return this.#block.idBlock.tagClass === CONTEXT && this.#block.idBlock.tagNumber === tag
  }

  #children(block: Constructed, what: string, min: number, max: number): readonly Der[] {
    const children = block.valueBlock.value
    if (children.length < min || children.length > max) {
      throw corrupt(`${what}: expected ${min === max ? min : `${min} to ${max}`} parts, found ${children.length}`)
    }
    return children.map((child) => new Der(child))
  }

  #unexpected(what: string, expected: string): Error {
    const { tagClass, tagNumber } = this.#block.idBlock
    return corrupt(`${what}: expected ${expected}, found ASN.1 tag ${tagNumber} of class ${tagClass}`)
  }
}

function parsed(bytes: Buffer): FromBerResult {
  try {
    return fromBER(bytes, {
      maxDepth: limits.derDepth + 1,
      maxNodes: limits.derNodes,
      maxContentLength: limits.fileBytes,
      parseEmbedded: false,
      copyInput: false,
    })
  } catch {
    // Dates that are none are thrown at, where other mistakes are reported in the result.
    throw corrupt('ASN.1: a value that its type does not have')
  }
}

function joined(block: OctetString): Buffer {
  if (!block.idBlock.isConstructed) return viewOf(block.valueBlock.valueHexView)
  return Buffer.concat(block.valueBlock.value.map((part) => joined(part as OctetString)))
}

function viewOf(view: Uint8Array): Buffer {
  return Buffer.from(view.buffer, view.byteOffset, view.byteLength)
}
