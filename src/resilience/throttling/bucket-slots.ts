/**
 * Slots of buckets in memory shared by all units. Lock-free: each step is one compare and exchange, and a unit that reads an
 * unfinished step of another one completes or reverts it.
 *
 * A slot has three words, of 64 bits each:
 * - its key: 50 bits of the hash of a partition and rate, the state, and the generation, which counts the changes of
 *   the key so that a delayed compare and exchange fails;
 * - its time: when the bucket is full again, in ticks, and the generation it belongs to;
 * - its scale: the ticks for each millisecond, for the cleaner, and the generation.
 *
 * A key has at most one bucket. A unit first reserves a slot for it; then it scans the other slots of the group, uses a bucket
 * that exists, and revokes other reservations of the key; then it turns the reservation into a bucket, unless another unit has
 * revoked it. Of two concurrent reservations at least one sees the other, in any order.
 *
 * A bucket is freed in two steps: its time becomes RETIRED, so that units about to count in it fail, and then its key is freed.
 */
export const GROUP_SIZE = 64

const GENERATION_BITS = 12n
const GENERATIONS = (1n << GENERATION_BITS) - 1n
const TAG_BITS = 14
const LOWEST = 2 ** TAG_BITS - 1
const FREE = 0n
const RESERVED = 1n << GENERATION_BITS
const LIVE = 2n << GENERATION_BITS
const STATES = 3n << GENERATION_BITS
/** Time of a bucket that is being freed; later than any real time. */
const RETIRED = 2 ** 52 - 1
const SCALE_UNIT = 2 ** 20
/** Milliseconds; more than the rounding error of the scale after a long uptime. */
const MARGIN = 1_000

/** Index of the upper half of a word: 1 on little-endian machines. */
const UPPER = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? 1 : 0

/** Values of the time bits in the lower half of its word. */
const TIME_BELOW = 2 ** (32 - Number(GENERATION_BITS))

/** Scratch memory for splitting and joining words, private to this thread. */
const whole = new BigUint64Array(1)
const halves = new Uint32Array(whole.buffer)

/** Identifies a bucket: the key of its slot, live and without generation, its group, and the slot where the search starts. */
export interface BucketName {
  readonly live: bigint
  readonly upper: number
  readonly group: number
  readonly start: number
}

/** Slot and generation of a bucket. */
export interface BucketRef {
  readonly slot: number
  readonly generation: bigint
}

/** The slots of one table. */
export class BucketSlots {
  readonly #keys: BigUint64Array
  readonly #halves: Uint32Array
  readonly #times: BigUint64Array
  readonly #scales: BigUint64Array
  /** For each group, whether it may have buckets. */
  readonly #occupied: Int32Array
  readonly #count: Int32Array
  readonly groups: number

  static bytes(groups: number): number {
    return groups * (GROUP_SIZE * 24 + 4) + 4
  }

  constructor(memory: SharedArrayBuffer, offset: number, groups: number) {
    const slots = groups * GROUP_SIZE
    this.groups = groups
    this.#keys = new BigUint64Array(memory, offset, slots)
    this.#halves = new Uint32Array(memory, offset, slots * 2)
    this.#times = new BigUint64Array(memory, offset + slots * 8, slots)
    this.#scales = new BigUint64Array(memory, offset + slots * 16, slots)
    this.#occupied = new Int32Array(memory, offset + slots * 24, groups)
    this.#count = new Int32Array(memory, offset + slots * 24 + groups * 4, 1)
  }

  /** Number of buckets. */
  get count(): number {
    return Atomics.load(this.#count, 0)
  }

  find({ live, upper, group, start }: BucketName): BucketRef | null {
    const base = group * GROUP_SIZE
    for (let step = 0; step < GROUP_SIZE; step++) {
      const slot = base + ((start + step) & (GROUP_SIZE - 1))
      if (this.#upper(slot) !== upper) continue
      const generation = Atomics.load(this.#keys, slot) ^ live
      if (generation <= GENERATIONS) return { slot, generation }
    }
    return null
  }

  /** Creates a full bucket, or returns the one that another unit has just created. Null where the group has no free slot. */
  insert(name: BucketName, ticks: number): BucketRef | null {
    for (;;) {
      const reservation = this.#reserve(name)
      if (reservation === null) return null
      const existing = this.#findOrRevoke(name, reservation.slot)
      if (existing !== null) {
        this.#change(reservation.slot, keyOf(name, RESERVED, reservation.generation), next(reservation.generation))
        return existing
      }
      if (this.#activate(name, reservation, ticks)) return reservation
    }
  }

  /** The time word of a bucket; null where the bucket was freed. */
  time(name: BucketName, { slot, generation }: BucketRef): bigint | null {
    const word = Atomics.load(this.#times, slot)
    if ((word & GENERATIONS) !== generation) return null
    if (timeOf(word) !== RETIRED) return word
    this.#free(slot, keyOf(name, LIVE, generation))
    return null
  }

  /** Advances the time of a bucket; false where another unit has changed it. */
  moveTime({ slot, generation }: BucketRef, word: bigint, time: number): boolean {
    return Atomics.compareExchange(this.#times, slot, word, wordOf(time, generation)) === word
  }

  /** Whether a group may have buckets. */
  mayBeOccupied(group: number): boolean {
    return Atomics.load(this.#occupied, group) !== 0
  }

  /** Frees the buckets of a group that are full at `now` (milliseconds); returns how many remain. */
  reclaim(group: number, now: number): number {
    if (!this.mayBeOccupied(group)) return 0
    // A later reservation sets it again; an earlier one is seen below.
    Atomics.store(this.#occupied, group, 0)
    let remaining = 0
    for (let slot = group * GROUP_SIZE; slot < (group + 1) * GROUP_SIZE; slot++)
      if (!this.#reclaimSlot(slot, now)) remaining++
    if (remaining > 0) Atomics.store(this.#occupied, group, 1)
    return remaining
  }

  #reclaimSlot(slot: number, now: number): boolean {
    const key = Atomics.load(this.#keys, slot)
    const generation = key & GENERATIONS
    const state = key & STATES
    if (state === FREE) return true
    // A reservation lasts less than a microsecond, or forever where its unit has died.
    if (state === RESERVED) return this.#change(slot, key, next(generation))
    const word = Atomics.load(this.#times, slot)
    const scale = Atomics.load(this.#scales, slot)
    if ((word & GENERATIONS) !== generation || (scale & GENERATIONS) !== generation) return false
    if (timeOf(word) !== RETIRED) {
      const full = (timeOf(word) * SCALE_UNIT) / timeOf(scale)
      if (full + MARGIN > now) return false
      const retired = wordOf(RETIRED, generation)
      if (Atomics.compareExchange(this.#times, slot, word, retired) !== word) return false
    }
    this.#free(slot, key)
    return true
  }

  #free(slot: number, key: bigint): void {
    if (this.#change(slot, key, next(key & GENERATIONS))) Atomics.sub(this.#count, 0, 1)
  }

  #reserve(name: BucketName): BucketRef | null {
    const { group, start } = name
    const base = group * GROUP_SIZE
    for (let step = 0; step < GROUP_SIZE; step++) {
      const slot = base + ((start + step) & (GROUP_SIZE - 1))
      if (this.#upper(slot) !== 0) continue
      const key = Atomics.load(this.#keys, slot)
      if ((key & STATES) !== FREE) continue
      const generation = next(key & GENERATIONS)
      if (this.#change(slot, key, keyOf(name, RESERVED, generation))) return { slot, generation }
    }
    return null
  }

  /** Scans all slots of the group but `own`: returns an existing bucket, and revokes reservations of the same name. */
  #findOrRevoke({ live, upper, group }: BucketName, own: number): BucketRef | null {
    for (let slot = group * GROUP_SIZE; slot < (group + 1) * GROUP_SIZE; slot++) {
      // A reservation that could not be revoked has changed: it may be a bucket by now.
      while (slot !== own && this.#upper(slot) === upper) {
        const key = Atomics.load(this.#keys, slot)
        const difference = key ^ live
        if (difference <= GENERATIONS) return { slot, generation: difference }
        const isReservation = (difference ^ LIVE ^ RESERVED) <= GENERATIONS
        if (!isReservation || this.#change(slot, key, next(key & GENERATIONS))) break
      }
    }
    return null
  }

  /** Turns a reservation into a bucket; false where the reservation was revoked. */
  #activate(name: BucketName, { slot, generation }: BucketRef, ticks: number): boolean {
    const key = keyOf(name, RESERVED, generation)
    const hasTime = this.#set(this.#times, slot, key, wordOf(0, generation))
    const isSet = hasTime && this.#set(this.#scales, slot, key, wordOf(Math.floor(ticks * SCALE_UNIT), generation))
    if (!isSet) return false
    Atomics.store(this.#occupied, name.group, 1)
    if (!this.#change(slot, key, keyOf(name, LIVE, generation))) return false
    Atomics.add(this.#count, 0, 1)
    return true
  }

  /** Sets a word while the reservation is valid. A delayed unit has read an older word, and changes nothing. */
  #set(words: BigUint64Array, slot: number, key: bigint, word: bigint): boolean {
    for (;;) {
      const old = Atomics.load(words, slot)
      if (Atomics.load(this.#keys, slot) !== key) return false
      if (Atomics.compareExchange(words, slot, old, word) === old) return true
    }
  }

  /** The upper half of a key. Most slots are skipped by it: numbers of 32 bits need no allocation, unlike a bigint. */
  #upper(slot: number): number {
    return Atomics.load(this.#halves, slot * 2 + UPPER)
  }

  #change(slot: number, from: bigint, to: bigint): boolean {
    return Atomics.compareExchange(this.#keys, slot, from, to) === from
  }
}

/** The name for a hash of 64 bits; `groups` is a power of two. */
export function bucketName(high: number, low: number, groups: number): BucketName {
  // State and generation replace the lowest bits of the hash, which select the group instead.
  const lower = (low & ~LOWEST) | Number(LIVE)
  const group = (low ^ (high << TAG_BITS)) & (groups - 1)
  return { live: joinHalves(high, lower), upper: high, group, start: high >>> 26 }
}

export function timeOf(word: bigint): number {
  whole[0] = word
  return halves[UPPER]! * TIME_BELOW + (halves[1 - UPPER]! >>> Number(GENERATION_BITS))
}

function wordOf(time: number, generation: bigint): bigint {
  const above = Math.floor(time / TIME_BELOW)
  return joinHalves(above, ((time - above * TIME_BELOW) << Number(GENERATION_BITS)) | Number(generation))
}

/** Joins two halves of 32 bits. Arithmetic with bigints would allocate one in each step. */
function joinHalves(upper: number, lower: number): bigint {
  halves[UPPER] = upper
  halves[1 - UPPER] = lower
  return whole[0]!
}

function keyOf({ live }: BucketName, state: bigint, generation: bigint): bigint {
  return (live ^ LIVE) | state | generation
}

function next(generation: bigint): bigint {
  return (generation + 1n) & GENERATIONS
}
