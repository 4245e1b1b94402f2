import { randomBytes } from 'node:crypto'

const KEY_WORDS = 4
const HIGHEST = 4
const NONCE_UNTIL = 5
const HEAD = 16
/** Maximum of proofs: at one minute each, several thousand per second over all units. */
const ENTRIES = 1_048_576
/** Resolution of the highest time, which is not written for each request. */
const CLOCK_STEP = 1_000
/** How far the wall clock can go back undetected; entries outlive their proofs by this time. */
export const UNDETECTED_CLOCK_STEP = 2 * CLOCK_STEP

/** Size of the shared memory. */
export const PROOF_MEMORY_BYTES = (HEAD + ENTRIES) * BigInt64Array.BYTES_PER_ELEMENT

/**
 * Memory shared by all units: a key, the used proofs, and the time until which these may be incomplete. Each word is written atomically
 * by the first unit, so that all units read the same value without locks.
 */
export class ProofMemory {
  readonly key: Buffer
  readonly entries: BigInt64Array
  readonly #words: BigInt64Array
  readonly #life: number

  /** `life` is the time for which a proof can be used, in milliseconds. */
  constructor(memory: SharedArrayBuffer, life: number, now: number) {
    this.#words = new BigInt64Array(memory)
    this.#life = life
    this.entries = this.#words.subarray(HEAD)
    this.key = Buffer.alloc(KEY_WORDS * 8)
    for (let at = 0; at < KEY_WORDS; at++) {
      const own = randomBytes(8).readBigInt64BE()
      this.key.writeBigInt64BE(this.#first(at, own === 0n ? 1n : own), at * 8)
    }
    this.#first(NONCE_UNTIL, wholeMilliseconds(now + life))
  }

  /**
   * Whether a used proof may be missing: one used before the memory was created, or before the wall clock was set back. Then only a
   * nonce proves that a proof is new (spec gap 170).
   */
  mayBeIncomplete(now: number): boolean {
    const highest = Number(Atomics.load(this.#words, HIGHEST))
    if (now > highest + CLOCK_STEP) this.#raise(HIGHEST, now)
    else if (now < highest - CLOCK_STEP) this.#raise(NONCE_UNTIL, highest + this.#life)
    return now <= Number(Atomics.load(this.#words, NONCE_UNTIL))
  }

  /** Writes a word unless it is already written (not zero); returns its value. */
  #first(at: number, value: bigint): bigint {
    const found = Atomics.compareExchange(this.#words, at, 0n, value)
    return found === 0n ? value : found
  }

  #raise(at: number, value: number): void {
    const raised = wholeMilliseconds(value)
    for (let found = Atomics.load(this.#words, at); found < raised; ) {
      const before = Atomics.compareExchange(this.#words, at, found, raised)
      if (before === found) return
      found = before
    }
  }
}

function wholeMilliseconds(time: number): bigint {
  return BigInt(Math.ceil(time))
}
