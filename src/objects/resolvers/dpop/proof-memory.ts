import { randomBytes } from 'node:crypto'

const KEY_WORDS = 4
const HIGHEST = 4
const NONCE_UNTIL = 5
const HEAD = 16
/** Room for this many proofs: at one minute each, several thousand in a second over all units. */
const ENTRIES = 1_048_576
/** How exactly the highest time is known: it is not written for each request. */
const CLOCK_STEP = 1_000
/** By how much the wall clock can go back unnoticed; entries have to outlive their proofs by as much. */
export const UNNOTICED = 2 * CLOCK_STEP

/** The memory that is needed. */
export const PROOF_MEMORY_BYTES = (HEAD + ENTRIES) * BigInt64Array.BYTES_PER_ELEMENT

/**
 * What all units share about proofs: a key, the proofs that were used, and until when those can not tell everything. Words
 * are written each in one step, by the first unit, so that all units find the same without waiting.
 */
export class ProofMemory {
  readonly key: Buffer
  readonly entries: BigInt64Array
  readonly #words: BigInt64Array
  readonly #life: number

  /** `life` is for how long a proof can be used, from the earliest moment to the last, in milliseconds. */
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
   * Whether a proof may have been used without standing in this memory: before the memory was there, or before the wall
   * clock was set back and the same time came again. Only a nonce shows then that a proof was made since
   * (spec gap 170).
   */
  mayHaveForgotten(now: number): boolean {
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
