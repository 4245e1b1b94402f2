/**
 * Slots of buckets in memory that all units write to at the same time. No unit ever waits: each step is one compare and
 * exchange, and a unit that finds an unfinished step of another one completes or reverts it.
 *
 * A slot has three words, of 64 bits each:
 * - its key: 50 bits of the hash of a partition and rate, the state, and the generation, which counts the changes of
 *   the key so that a step that comes late finds nothing to change;
 * - its time: when the bucket is full again, in ticks, and the generation it belongs to;
 * - its scale: the ticks for each millisecond, for the cleaner, and the generation.
 *
 * A key has at most one bucket. It is claimed first; then the claimant looks at all other slots of its group, gives way
 * to a bucket that is there, and takes back other claims; only then it becomes a bucket, unless it was taken back
 * itself. Of two concurrent claims, one sees the other, in any order.
 *
 * A bucket is given up in two steps: its time becomes OVER, which fails units that are about to count in it, and then its
 * key is freed.
 */
export const GROUP = 64

const GENERATION_BITS = 12n
const GENERATIONS = (1n << GENERATION_BITS) - 1n
const TAG_BITS = 14
const LOWEST = 2 ** TAG_BITS - 1
const FREE = 0n
const CLAIMED = 1n << GENERATION_BITS
const LIVE = 2n << GENERATION_BITS
const STATES = 3n << GENERATION_BITS
/** The time of a bucket that was given up; far behind any that is real. */
const OVER = 2 ** 52 - 1
const SCALE_UNIT = 2 ** 20
/** Milliseconds above the rounding error of the scale after a long uptime. */
const MARGIN = 1_000

/** The upper half of a word stands second on all machines but the oldest. */
const UPPER = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? 1 : 0

/** Part of a time in the lower half of its word. */
const TIME_BELOW = 2 ** (32 - Number(GENERATION_BITS))

/** Scratch memory for splitting and joining words, private to this thread. */
const whole = new BigUint64Array(1)
const halves = new Uint32Array(whole.buffer)

/** The name of a bucket: the key of its slot, live and without generation, and where to begin to look. */
export interface BucketName {
  readonly live: bigint
  readonly upper: number
  readonly group: number
  readonly start: number
}

/** A bucket that was found: its slot and generation. */
export interface Found {
  readonly slot: number
  readonly generation: bigint
}

/** The slots of one table. */
export class BucketSlots {
  readonly #keys: BigUint64Array
  readonly #halves: Uint32Array
  readonly #times: BigUint64Array
  readonly #scales: BigUint64Array
  /** For each group, whether there may be something in it. */
  readonly #touched: Int32Array
  readonly #count: Int32Array
  readonly groups: number

  /** The memory that so many groups need. */
  static bytes(groups: number): number {
    return groups * (GROUP * 24 + 4) + 4
  }

  constructor(memory: SharedArrayBuffer, offset: number, groups: number) {
    const slots = groups * GROUP
    this.groups = groups
    this.#keys = new BigUint64Array(memory, offset, slots)
    this.#halves = new Uint32Array(memory, offset, slots * 2)
    this.#times = new BigUint64Array(memory, offset + slots * 8, slots)
    this.#scales = new BigUint64Array(memory, offset + slots * 16, slots)
    this.#touched = new Int32Array(memory, offset + slots * 24, groups)
    this.#count = new Int32Array(memory, offset + slots * 24 + groups * 4, 1)
  }

  /** How many buckets there are. */
  get count(): number {
    return Atomics.load(this.#count, 0)
  }

  /** The bucket of a name; null if missing. */
  find({ live, upper, group, start }: BucketName): Found | null {
    const base = group * GROUP
    for (let step = 0; step < GROUP; step++) {
      const slot = base + ((start + step) & (GROUP - 1))
      if (this.#upper(slot) !== upper) continue
      const generation = Atomics.load(this.#keys, slot) ^ live
      if (generation <= GENERATIONS) return { slot, generation }
    }
    return null
  }

  /** Makes a full bucket, or finds the one that another unit has just made. Null where the group has no free slot. */
  insert(name: BucketName, ticks: number): Found | null {
    for (;;) {
      const claim = this.#claim(name)
      if (claim === null) return null
      const there = this.#searched(name, claim.slot)
      if (there !== null) {
        this.#change(claim.slot, keyOf(name, CLAIMED, claim.generation), next(claim.generation))
        return there
      }
      if (this.#begun(name, claim, ticks)) return claim
    }
  }

  /** The time word of a bucket; null where the bucket is no more. */
  time(name: BucketName, { slot, generation }: Found): bigint | null {
    const word = Atomics.load(this.#times, slot)
    if ((word & GENERATIONS) !== generation) return null
    if (timeIn(word) !== OVER) return word
    this.#free(slot, keyOf(name, LIVE, generation))
    return null
  }

  /** Moves the time of a bucket on; false where another unit has changed it. */
  moveTime({ slot, generation }: Found, word: bigint, time: number): boolean {
    return Atomics.compareExchange(this.#times, slot, word, wordOf(time, generation)) === word
  }

  /** Whether there may be something in a group. */
  isTouched(group: number): boolean {
    return Atomics.load(this.#touched, group) !== 0
  }

  /** Gives up the buckets of a group that are full at a time, in milliseconds; says how many remain. */
  reclaim(group: number, now: number): number {
    if (!this.isTouched(group)) return 0
    // A later claim sets it again; an earlier claim is seen below.
    Atomics.store(this.#touched, group, 0)
    let remaining = 0
    for (let slot = group * GROUP; slot < (group + 1) * GROUP; slot++) if (!this.#reclaimed(slot, now)) remaining++
    if (remaining > 0) Atomics.store(this.#touched, group, 1)
    return remaining
  }

  #reclaimed(slot: number, now: number): boolean {
    const key = Atomics.load(this.#keys, slot)
    const generation = key & GENERATIONS
    const state = key & STATES
    if (state === FREE) return true
    // A claim lives for less than a microsecond, or for ever where its unit has died.
    if (state === CLAIMED) return this.#change(slot, key, next(generation))
    const word = Atomics.load(this.#times, slot)
    const scale = Atomics.load(this.#scales, slot)
    if ((word & GENERATIONS) !== generation || (scale & GENERATIONS) !== generation) return false
    if (timeIn(word) !== OVER) {
      const full = (timeIn(word) * SCALE_UNIT) / timeIn(scale)
      if (full + MARGIN > now) return false
      const over = wordOf(OVER, generation)
      if (Atomics.compareExchange(this.#times, slot, word, over) !== word) return false
    }
    this.#free(slot, key)
    return true
  }

  #free(slot: number, key: bigint): void {
    if (this.#change(slot, key, next(key & GENERATIONS))) Atomics.sub(this.#count, 0, 1)
  }

  #claim(name: BucketName): Found | null {
    const { group, start } = name
    const base = group * GROUP
    for (let step = 0; step < GROUP; step++) {
      const slot = base + ((start + step) & (GROUP - 1))
      if (this.#upper(slot) !== 0) continue
      const key = Atomics.load(this.#keys, slot)
      if ((key & STATES) !== FREE) continue
      const generation = next(key & GENERATIONS)
      if (this.#change(slot, key, keyOf(name, CLAIMED, generation))) return { slot, generation }
    }
    return null
  }

  /** Looks at all slots of the group but one: gives the bucket that is there, takes back claims of the same name. */
  #searched({ live, upper, group }: BucketName, own: number): Found | null {
    for (let slot = group * GROUP; slot < (group + 1) * GROUP; slot++) {
      // A claim that could not be taken back has changed meanwhile: it may be a bucket by now.
      while (slot !== own && this.#upper(slot) === upper) {
        const key = Atomics.load(this.#keys, slot)
        const difference = key ^ live
        if (difference <= GENERATIONS) return { slot, generation: difference }
        const isClaim = (difference ^ LIVE ^ CLAIMED) <= GENERATIONS
        if (!isClaim || this.#change(slot, key, next(key & GENERATIONS))) break
      }
    }
    return null
  }

  /** Makes a bucket of a claim; false where the claim was taken back. */
  #begun(name: BucketName, { slot, generation }: Found, ticks: number): boolean {
    const key = keyOf(name, CLAIMED, generation)
    const begun = this.#set(this.#times, slot, key, wordOf(0, generation))
    const scaled = begun && this.#set(this.#scales, slot, key, wordOf(Math.floor(ticks * SCALE_UNIT), generation))
    if (!scaled) return false
    Atomics.store(this.#touched, name.group, 1)
    if (!this.#change(slot, key, keyOf(name, LIVE, generation))) return false
    Atomics.add(this.#count, 0, 1)
    return true
  }

  /** Sets a word while a claim stands. A claimant that comes late has read an older word, and changes nothing. */
  #set(words: BigUint64Array, slot: number, key: bigint, word: bigint): boolean {
    for (;;) {
      const old = Atomics.load(words, slot)
      if (Atomics.load(this.#keys, slot) !== key) return false
      if (Atomics.compareExchange(words, slot, old, word) === old) return true
    }
  }

  /** The upper half of a key. Numbers of 32 bits need no memory of their own: most slots are passed over by them. */
  #upper(slot: number): number {
    return Atomics.load(this.#halves, slot * 2 + UPPER)
  }

  #change(slot: number, from: bigint, to: bigint): boolean {
    return Atomics.compareExchange(this.#keys, slot, from, to) === from
  }
}

/** Names the bucket of a hash in one of so many groups, a power of two. */
export function bucketName(high: number, low: number, groups: number): BucketName {
  // The lowest bits give way to state and generation; the group stands for them.
  const lower = (low & ~LOWEST) | Number(LIVE)
  const group = (low ^ (high << TAG_BITS)) & (groups - 1)
  return { live: joined(high, lower), upper: high, group, start: high >>> 26 }
}

/** The time in a word. */
export function timeIn(word: bigint): number {
  whole[0] = word
  return halves[UPPER]! * TIME_BELOW + (halves[1 - UPPER]! >>> Number(GENERATION_BITS))
}

function wordOf(time: number, generation: bigint): bigint {
  const above = Math.floor(time / TIME_BELOW)
  return joined(above, ((time - above * TIME_BELOW) << Number(GENERATION_BITS)) | Number(generation))
}

/** Two halves of 32 bits as a word. Arithmetic with words would make a new one in each step. */
function joined(upper: number, lower: number): bigint {
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
