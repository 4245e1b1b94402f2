import { createHmac } from 'node:crypto'
import type { ProofMemory } from './proof-memory.ts'

/** Slots of one bucket; a proof can be in any of them. */
const BUCKET_SIZE = 16
const EXPIRY_BITS = 24n
const EXPIRY_MASK = (1n << EXPIRY_BITS) - 1n
const SECONDS = 2 ** 24
/** Set in every entry, to distinguish it from unused memory. */
const USED = 1n << 39n
const TAG_MASK = USED - 1n

/** Outcome of entering a proof. */
type Entry = 'first' | 'seen' | 'full'

/**
 * Table of used proofs in memory shared by all units. An entry is one word: 40 bits of a keyed digest and the second at which it
 * expires. Lock-free: an entry is written atomically, and its writer then checks whether another unit has written the same, so that
 * of two equal proofs at most one is new. Two proofs with the same digest count as equal: the later one is rejected.
 */
export class UsedProofs {
  readonly #words: BigInt64Array
  readonly #key: Buffer
  readonly #buckets: number

  constructor({ entries, key }: Pick<ProofMemory, 'entries' | 'key'>) {
    this.#words = entries
    this.#key = key
    this.#buckets = Math.floor(entries.length / BUCKET_SIZE)
  }

  /** Adds a proof by its unique text; times in milliseconds of the monotonic clock. */
  enter(unique: string, now: number, until: number): Entry {
    const digest = createHmac('sha256', this.#key).update(unique).digest()
    const start = (digest.readUInt32BE(0) % this.#buckets) * BUCKET_SIZE
    const tag = (digest.readBigUInt64BE(8) & TAG_MASK) | USED
    const second = Math.floor(now / 1_000)
    // Rounded up: an entry outlives its proof.
    const entry = (tag << EXPIRY_BITS) | BigInt(Math.ceil(until / 1_000) % SECONDS)
    for (;;) {
      const free = this.#freePlace(start, tag, second)
      if (free === 'seen' || free === 'full') return free
      const { place, found } = free
      if (Atomics.compareExchange(this.#words, place, found, entry) !== found) continue
      return this.#hasTwin(start, place, tag, second) ? 'seen' : 'first'
    }
  }

  #freePlace(start: number, tag: bigint, second: number): 'seen' | 'full' | { place: number; found: bigint } {
    let free: { place: number; found: bigint } | null = null
    for (let place = start; place < start + BUCKET_SIZE; place++) {
      const found = Atomics.load(this.#words, place)
      if (isOver(found, second)) free ??= { place, found }
      else if (tagIn(found) === tag) return 'seen'
    }
    return free ?? 'full'
  }

  #hasTwin(start: number, own: number, tag: bigint, second: number): boolean {
    for (let place = start; place < start + BUCKET_SIZE; place++) {
      if (place === own) continue
      const found = Atomics.load(this.#words, place)
      if (!isOver(found, second) && tagIn(found) === tag) return true
    }
    return false
  }
}

function tagIn(entry: bigint): bigint {
  return BigInt.asUintN(64, entry) >> EXPIRY_BITS
}

/** The counter of seconds wraps around after half a year: a time less than half of that ahead is in the future. */
function isOver(entry: bigint, second: number): boolean {
  if (entry === 0n) return true
  const ahead = (Number(entry & EXPIRY_MASK) - (second % SECONDS) + SECONDS) % SECONDS
  return ahead === 0 || ahead >= SECONDS / 2
}
