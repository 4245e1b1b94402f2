import { randomBytes } from 'node:crypto'
import type { ThrottlingDecision, ThrottlingRate } from '#contracts'
import type { Clock } from '#schema'
import { type BucketName, BucketSlots, bucketName, type Found, GROUP, timeIn } from './bucket-slots.ts'
import { KeyedHash } from './keyed-hash.ts'
import { admitted, type Pace, paceOf, refused } from './pace.ts'

/** The head of the memory: the key of the hash, and when it was cleaned last. */
const HEAD = 16
/** Slots for each partition that is promised room: groups then hardly ever fill up before the table does. */
const ROOM = 2
/** Groups that are cleaned in one go; requests are served in between. */
const SLICE = 64

/** How often a unit looks for room in a full group by itself, before the cleaner does, in milliseconds. */
const LOOK_INTERVAL = 10

/** How much a table holds. */
export interface TableSize {
  readonly maxPartitions: number
}

/**
 * The buckets of one filter, in memory that all units share (decisions, Throttling algorithm). The memory never grows:
 * partitions that find no room count together, in one bucket for each rate.
 */
export class BucketTable {
  readonly #slots: BucketSlots
  /** Buckets of partitions that found no room, one for each rate. */
  readonly #overflow: BucketSlots
  readonly #cleaned: BigUint64Array
  readonly #hash: KeyedHash
  readonly #clock: Clock
  #overflows = 0
  #nextLook = 0

  static bytes(size: TableSize): number {
    return overflowOffset(groupsFor(size)) + BucketSlots.bytes(1)
  }

  constructor(memory: SharedArrayBuffer, size: TableSize, clock: Clock) {
    const groups = groupsFor(size)
    this.#slots = new BucketSlots(memory, HEAD, groups)
    this.#overflow = new BucketSlots(memory, overflowOffset(groups), 1)
    this.#cleaned = new BigUint64Array(memory, 8, 1)
    this.#hash = new KeyedHash(...hashKey(memory))
    this.#clock = clock
  }

  /** Partitions that have a bucket of their own. */
  get partitions(): number {
    return this.#slots.count
  }

  /** Requests of partitions without room that this unit has seen. */
  get overflows(): number {
    return this.#overflows
  }

  /** Takes one request off what is left to a partition at a rate. */
  take(partition: string, rate: ThrottlingRate): ThrottlingDecision {
    const pace = paceOf(rate)
    const own = this.#takeFrom(this.#slots, this.#nameOf(this.#slots, partition, rate), pace)
    if (own !== null) return own
    this.#overflows++
    const shared = this.#takeFrom(this.#overflow, this.#nameOf(this.#overflow, '', rate), pace)
    // More rates than a configuration can use at a time; beyond them requests are refused, not unlimited.
    return shared ?? refused(pace, pace.capacity + pace.cost)
  }

  /** Gives up buckets that are full again; only one unit does so in an interval. Says whether this one did. */
  async clean(interval: number, pause: () => Promise<void>): Promise<boolean> {
    const last = Atomics.load(this.#cleaned, 0)
    const now = BigInt(Math.floor(this.#clock.monotonic()))
    if (last !== 0n && now - last < interval / 2) return false
    if (Atomics.compareExchange(this.#cleaned, 0, last, now) !== last) return false
    this.#overflow.reclaim(0, this.#clock.monotonic())
    let looked = 0
    for (let group = 0; group < this.#slots.groups; group++) {
      if (!this.#slots.isTouched(group)) continue
      this.#slots.reclaim(group, this.#clock.monotonic())
      if (++looked % SLICE === 0) await pause()
    }
    return true
  }

  #takeFrom(slots: BucketSlots, name: BucketName, pace: Pace): ThrottlingDecision | null {
    for (;;) {
      const found = slots.find(name) ?? this.#inserted(slots, name, pace)
      if (found === null) return null
      const decision = this.#decide(slots, name, found, pace)
      if (decision !== null) return decision
    }
  }

  #inserted(slots: BucketSlots, name: BucketName, pace: Pace): Found | null {
    const found = slots.insert(name, pace.ticks)
    const now = this.#clock.monotonic()
    // A flood must not make each of its requests look through a whole group.
    if (found !== null || now < this.#nextLook) return found
    this.#nextLook = now + LOOK_INTERVAL
    return slots.reclaim(name.group, now) < GROUP ? slots.insert(name, pace.ticks) : null
  }

  /** Null where the bucket was given up meanwhile. */
  #decide(slots: BucketSlots, name: BucketName, found: Found, pace: Pace): ThrottlingDecision | null {
    for (;;) {
      const word = slots.time(name, found)
      if (word === null) return null
      const now = Math.floor(this.#clock.monotonic() * pace.ticks)
      const time = Math.max(timeIn(word), now) + pace.cost
      if (time - now > pace.capacity) return refused(pace, time - now)
      if (slots.moveTime(found, word, time)) return admitted(pace, time - now)
    }
  }

  #nameOf({ groups }: BucketSlots, partition: string, { numberOfRequests, duration }: ThrottlingRate): BucketName {
    this.#hash.update(partition, numberOfRequests, Math.round(duration * 1e6))
    return bucketName(this.#hash.high, this.#hash.low, groups)
  }
}

function groupsFor({ maxPartitions }: TableSize): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1, (maxPartitions * ROOM) / GROUP)))
}

function overflowOffset(groups: number): number {
  return HEAD + Math.ceil(BucketSlots.bytes(groups) / 8) * 8
}

/** The key of the hash, generated by the first unit. */
function hashKey(memory: SharedArrayBuffer): [number, number] {
  const key = new BigUint64Array(memory, 0, 1)
  const fresh = randomBytes(8).readBigUInt64LE() | 1n
  const there = Atomics.compareExchange(key, 0, 0n, fresh)
  const used = there === 0n ? fresh : there
  return [Number(used & 0xffff_ffffn), Number(used >> 32n)]
}
