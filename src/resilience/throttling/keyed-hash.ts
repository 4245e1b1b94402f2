/**
 * HalfSipHash-2-4 with 64 bits (Aumasson, Bernstein: SipHash, 2012; the variant for 32-bit machines). Clients choose
 * the names of partitions: without the key a client can not find collisions.
 */
export class KeyedHash {
  readonly #k0: number
  readonly #k1: number
  #v0 = 0
  #v1 = 0
  #v2 = 0
  #v3 = 0
  /** The upper 32 bits of the last result. */
  high = 0
  /** The lower 32 bits of the last result. */
  low = 0

  constructor(k0: number, k1: number) {
    this.#k0 = k0
    this.#k1 = k1
  }

  /** Hashes a text and two numbers into `high` and `low`. */
  update(text: string, first: number, second: number): void {
    this.begin()
    const even = text.length & ~1
    for (let at = 0; at < even; at += 2) this.absorb(text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16))
    if (even < text.length) this.absorb(text.charCodeAt(even))
    this.absorb(first)
    this.absorb(first / 2 ** 32)
    this.absorb(second)
    this.absorb(second / 2 ** 32)
    this.finish(text.length)
  }

  begin(): void {
    this.#v0 = this.#k0
    this.#v1 = this.#k1 ^ 0xee
    this.#v2 = 0x6c796765 ^ this.#k0
    this.#v3 = 0x74656462 ^ this.#k1
  }

  /** Mixes in the next 32 bits. */
  absorb(word: number): void {
    const bits = word | 0
    this.#v3 ^= bits
    this.#round()
    this.#round()
    this.#v0 ^= bits
  }

  /** Mixes in the last 32 bits and sets the result. */
  finish(last: number): void {
    this.absorb(last)
    this.#v2 ^= 0xee
    for (let round = 0; round < 4; round++) this.#round()
    this.low = (this.#v1 ^ this.#v3) >>> 0
    this.#v1 ^= 0xdd
    for (let round = 0; round < 4; round++) this.#round()
    this.high = (this.#v1 ^ this.#v3) >>> 0
  }

  #round(): void {
    let v0 = (this.#v0 + this.#v1) | 0
    let v1 = ((this.#v1 << 5) | (this.#v1 >>> 27)) ^ v0
    v0 = (v0 << 16) | (v0 >>> 16)
    let v2 = (this.#v2 + this.#v3) | 0
    let v3 = ((this.#v3 << 8) | (this.#v3 >>> 24)) ^ v2
    v0 = (v0 + v3) | 0
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
    v2 = (v2 + v1) | 0
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
    v2 = (v2 << 16) | (v2 >>> 16)
    this.#v0 = v0
    this.#v1 = v1
    this.#v2 = v2
    this.#v3 = v3
  }
}
