import { corrupt } from './keystore-error.ts'

/** Reads the format of Java's DataOutputStream; a length is checked against the remaining bytes before use. */
export class ByteReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get left(): number {
    return this.#bytes.length - this.#at
  }

  /** The next bytes, as a view of the file. */
  take(length: number, what: string): Buffer {
    if (length > this.left) {
      throw corrupt(`${what}: ${length} bytes announced at offset ${this.#at}, but ${this.left} are left`)
    }
    this.#at += length
    return this.#bytes.subarray(this.#at - length, this.#at)
  }

  byte(what: string): number {
    return this.take(1, what)[0]!
  }

  short(what: string): number {
    return this.take(2, what).readUInt16BE()
  }

  int(what: string): number {
    return this.take(4, what).readUInt32BE()
  }

  long(what: string): bigint {
    return this.take(8, what).readBigInt64BE()
  }

  /** A string in Java's modified UTF-8, after its length of two bytes. */
  text(what: string): string {
    return decodeJavaText(this.take(this.short(what), what), what)
  }
}

/** Java's modified UTF-8: characters outside the BMP are two surrogates of three bytes each, NUL has two bytes. */
function decodeJavaText(bytes: Buffer, what: string): string {
  const units: number[] = []
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at]!
    const size = first < 0x80 ? 1 : first >> 5 === 0b110 ? 2 : first >> 4 === 0b1110 ? 3 : 0
    const rest = bytes.subarray(at + 1, at + size)
    if (size === 0 || rest.length !== size - 1 || rest.some((byte) => byte >> 6 !== 0b10)) {
      throw corrupt(`${what}: not valid text`)
    }
    const start = size === 1 ? first : first & (size === 2 ? 0x1f : 0x0f)
    units.push(rest.reduce((unit, byte) => (unit << 6) | (byte & 0x3f), start))
    at += size
  }
  return units.map((unit) => String.fromCharCode(unit)).join('')
}
