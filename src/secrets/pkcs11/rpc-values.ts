/** A value that the other side left out. */
const ABSENT = 0xffff_ffff

const boolean = (value: number) => Buffer.of(value)

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** A CK_ULONG. */
export function ulong(value: bigint | number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(value))
  return bytes
}

/** Bytes with their length; null is a null pointer. */
export function sized(bytes: Buffer | null): Buffer {
  return bytes === null ? uint32(ABSENT) : Buffer.concat([uint32(bytes.length), bytes])
}

/** A byte array (`ay`). */
export function byteArray(bytes: Buffer): Buffer {
  return Buffer.concat([boolean(1), sized(bytes)])
}

/** A template (`aA`): the class of objects, and values of their attributes. */
export function template(objectClass: number, attributes: ReadonlyMap<number, Buffer>): Buffer {
  const parts = [uint32(1 + attributes.size), uint32(0), boolean(1), uint32(8), ulong(objectClass)]
  for (const [type, value] of attributes) parts.push(uint32(type), boolean(1), uint32(value.length), sized(value))
  return Buffer.concat(parts)
}

/** Types of attributes and the bytes that their values may have (`fA`). */
export function attributeBuffers(sizes: ReadonlyMap<number, number>): Buffer {
  return Buffer.concat([uint32(sizes.size), ...[...sizes].map(([type, bytes]) => join(uint32(type), uint32(bytes)))])
}

const join = (...parts: readonly Buffer[]) => Buffer.concat(parts)

/** An attribute: bytes, or a number for a boolean or a CK_ULONG. */
export type AttributeValue = Buffer | number

/** Attributes whose values are a byte (booleans), and those that are a CK_ULONG, as the protocol divides them. */
export interface AttributeForms {
  readonly booleans: ReadonlySet<number>
  readonly numbers: ReadonlySet<number>
}

/** Reads the values of a response in order. Throws a RangeError where the response is too short. */
export class RpcReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  byte(): number {
    return this.#take(1).readUInt8(0)
  }

  uint32(): number {
    return this.#take(4).readUInt32BE(0)
  }

  ulong(): bigint {
    return this.#take(8).readBigUInt64BE(0)
  }

  sized(): Buffer {
    const length = this.uint32()
    return length === ABSENT ? Buffer.alloc(0) : this.#take(length)
  }

  byteArray(): Buffer {
    if (this.byte() === 0) throw new RangeError('the value is longer than its buffer')
    return this.sized()
  }

  ulongs(): bigint[] {
    if (this.byte() === 0) throw new RangeError('the list is longer than its buffer')
    return Array.from({ length: this.uint32() }, () => this.ulong())
  }

  /** Attributes by type; those that the object does not have, or does not show, are left out. */
  attributes({ booleans, numbers }: AttributeForms): Map<number, AttributeValue> {
    const found = new Map<number, AttributeValue>()
    for (let left = this.uint32(); left > 0; left--) {
      const type = this.uint32()
      if (this.byte() === 0) continue
      const length = this.uint32()
      if (booleans.has(type)) found.set(type, this.byte())
      else if (numbers.has(type)) found.set(type, Number(this.ulong()))
      else found.set(type, this.sized())
      if (length === 0) found.delete(type)
    }
    return found
  }

  #take(length: number): Buffer {
    if (this.#at + length > this.#bytes.length) throw new RangeError('the response is too short')
    const part = this.#bytes.subarray(this.#at, this.#at + length)
    this.#at += length
    return part
  }
}
