import { randomBytes } from 'node:crypto'
import type { ThrottlingDecision, ThrottlingRate } from '#contracts'
import type { Clock } from '#schema'
import { type BucketName, type BucketRef, BucketSlots, bucketName, GROUP_SIZE, timeOf } from './bucket-slots.ts'
import { admitted, type GcraRate, gcraRate, refused } from './gcra.ts'
import { KeyedHash } from './keyed-hash.ts'

/** Bytes before the slots: the hash key and the time of the last cleaning. */
const HEAD = 16
/** With this many, a group rarely fills up before the table does. */
const SLOTS_PER_PARTITION = 2
/** Groups that are cleaned before the event loop gets a turn. */
const GROUPS_PER_TURN = 64

/** Milliseconds between two searches of a unit for free slots in a full group. */
const RECLAIM_INTERVAL = 10

export interface TableSize {
  readonly maxPartitions: number
}

/**
 * The buckets of one filter, in memory shared by all units (decisions, Throttling algorithm). The memory never grows:
 * partitions beyond the limit share one overflow bucket for each rate.
 */
export class BucketTable {
  readonly #slots: BucketSlots
  /** Shared buckets of partitions beyond the limit, one for each rate. */
  readonly #overflow: BucketSlots
  readonly #cleaned: BigUint64Array
  readonly #hash: KeyedHash
  readonly #clock: Clock
  #overflows = 0
  #nextReclaim = 0

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

  /** Number of partitions with their own bucket. */
  get partitions(): number {
    return this.#slots.count
  }

  /** Requests that this unit counted in an overflow bucket. */
  get overflows(): number {
    return this.#overflows
  }

  /** Counts one request of a partition at a rate. */
  take(partition: string, rate: ThrottlingRate): ThrottlingDecision {
    const gcra = gcraRate(rate)
    const own = this.#takeFrom(this.#slots, this.#nameOf(this.#slots, partition, rate), gcra)
    if (own !== null) return own
    this.#overflows++
    const shared = this.#takeFrom(this.#overflow, this.#nameOf(this.#overflow, '', rate), gcra)
    // The overflow slots suffice for more rates than a configuration has; beyond them requests are refused, not unlimited.
    return shared ?? refused(gcra, gcra.capacity + gcra.cost)
  }

  /** Frees buckets that are full again; once per interval for all units. Returns whether this unit did it. */
  async clean(interval: number, pause: () => Promise<void>): Promise<boolean> {
    const last = Atomics.load(this.#cleaned, 0)
    const now = BigInt(Math.floor(this.#clock.monotonic()))
    if (last !== 0n && now - last < interval / 2) return false
    if (Atomics.compareExchange(this.#cleaned, 0, last, now) !== last) return false
    this.#overflow.reclaim(0, this.#clock.monotonic())
    let cleaned = 0
    for (let group = 0; group < this.#slots.groups; group++) {
      if (!this.#slots.mayBeOccupied(group)) continue
      this.#slots.reclaim(group, this.#clock.monotonic())
      if (++cleaned % GROUPS_PER_TURN === 0) await pause()
    }
    return true
  }

  #takeFrom(slots: BucketSlots, name: BucketName, gcra: GcraRate): ThrottlingDecision | null {
    for (;;) {
      const found = slots.find(name) ?? this.#insert(slots, name, gcra)
      if (found === null) return null
      const decision = this.#decide(slots, name, found, gcra)
      if (decision !== null) return decision
    }
  }

  #insert(slots: BucketSlots, name: BucketName, gcra: GcraRate): BucketRef | null {
    const found = slots.insert(name, gcra.ticks)
    const now = this.#clock.monotonic()
    // In a flood, not every request may scan a whole group.
    if (found !== null || now < this.#nextReclaim) return found
    this.#nextReclaim = now + RECLAIM_INTERVAL
    return slots.reclaim(name.group, now) < GROUP_SIZE ? slots.insert(name, gcra.ticks) : null
  }

  /** Null where the bucket was freed meanwhile. */
  #decide(slots: BucketSlots, name: BucketName, found: BucketRef, gcra: GcraRate): ThrottlingDecision | null {
    for (;;) {
      const word = slots.time(name, found)
      if (word === null) return null
      const now = Math.floor(this.#clock.monotonic() * gcra.ticks)
      const time = Math.max(timeOf(word), now) + gcra.cost
      if (time - now > gcra.capacity) return refused(gcra, time - now)
      if (slots.moveTime(found, word, time)) return admitted(gcra, time - now)
    }
  }

  #nameOf({ groups }: BucketSlots, partition: string, { numberOfRequests, duration }: ThrottlingRate): BucketName {
    this.#hash.update(partition, numberOfRequests, Math.round(duration * 1e6))
    return bucketName(this.#hash.high, this.#hash.low, groups)
  }
}

function groupsFor({ maxPartitions }: TableSize): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1, (maxPartitions * SLOTS_PER_PARTITION) / GROUP_SIZE)))
}

function overflowOffset(groups: number): number {
  return HEAD + Math.ceil(BucketSlots.bytes(groups) / 8) * 8
}

/** Generated by the first unit. */
function hashKey(memory: SharedArrayBuffer): [number, number] {
  const key = new BigUint64Array(memory, 0, 1)
  const fresh = randomBytes(8).readBigUInt64LE() | 1n
  const stored = Atomics.compareExchange(key, 0, 0n, fresh)
  const used = stored === 0n ? fresh : stored
  return [Number(used & 0xffff_ffffn), Number(used >> 32n)]
}
