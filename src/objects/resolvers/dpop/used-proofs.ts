import { createHmac } from 'node:crypto'
import type { ProofMemory } from './proof-memory.ts'

/** Places of one bucket: a proof can stand in any of them. */
const PLACES = 16
const EXPIRY_BITS = 24n
const EXPIRY_MASK = (1n << EXPIRY_BITS) - 1n
const SECONDS = 2 ** 24
/** Set in every entry, so that none looks like memory that was never used. */
const USED = 1n << 39n
const TAG_MASK = USED - 1n

/** What became of a proof that wanted to be the first of its kind. */
type Entry = 'first' | 'seen' | 'full'

/**
 * Which proofs were used, in memory that all units share. An entry is one word: 40 bits of a keyed digest and the second
 * at which it may go. No unit waits: an entry is written in one step, and its writer then checks whether
 * another unit made the same meanwhile, so that of two equal proofs at most one is the first. Two proofs with one digest are
 * taken for equal, which refuses the later one and can not admit any.
 */
export class UsedProofs {
  readonly #words: BigInt64Array
  readonly #key: Buffer
  readonly #buckets: number

  constructor({ entries, key }: Pick<ProofMemory, 'entries' | 'key'>) {
    this.#words = entries
    this.#key = key
    this.#buckets = Math.floor(entries.length / PLACES)
  }

  /** Enters a proof by what is unique to it; times in milliseconds of the clock that only goes forward. */
  enter(unique: string, now: number, until: number): Entry {
    const digest = createHmac('sha256', this.#key).update(unique).digest()
    const start = (digest.readUInt32BE(0) % this.#buckets) * PLACES
    const tag = (digest.readBigUInt64BE(8) & TAG_MASK) | USED
    const second = Math.floor(now / 1_000)
    // Rounded up: an entry outlives the proof it stands for.
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
    for (let place = start; place < start + PLACES; place++) {
      const found = Atomics.load(this.#words, place)
      if (isOver(found, second)) free ??= { place, found }
      else if (tagIn(found) === tag) return 'seen'
    }
    return free ?? 'full'
  }

  #hasTwin(start: number, own: number, tag: bigint, second: number): boolean {
    for (let place = start; place < start + PLACES; place++) {
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

/** Seconds go round after half a year: what lies ahead by less than half of that is yet to come. */
function isOver(entry: bigint, second: number): boolean {
  if (entry === 0n) return true
  const ahead = (Number(entry & EXPIRY_MASK) - (second % SECONDS) + SECONDS) % SECONDS
  return ahead === 0 || ahead >= SECONDS / 2
}
