import { numberOf, type Reason, reasonText } from './reasons.ts'

/** Results of health checks. */
export const HEALTH = { unknown: 0, healthy: 1, unhealthy: 2 } as const
/** What an administrator has decided. */
export const ADMIN = { enabled: 0, draining: 1, ejected: 2 } as const
/** What operators see. */
type ServerState = 'healthy' | 'unhealthy' | 'ejected' | 'draining' | 'unknown'
/** `claimed` while a unit writes the end of an ejection. */
const EJECTION = { none: 0, ejected: 1, claimed: 2 } as const

/** Words of the header. */
const VERSION = 0
const SET_VERSION = 1
const SET_BYTES = 2
const EJECTED = 3
const ACTIVE = 4
const CAPACITY = 5
const UNITS = 6
const KEY = 8
const HEADER_WORDS = 16
const KEY_BYTES = 32

/** Words of a slot, and its times. */
const WORD = { health: 0, admin: 1, ejection: 2, ejections: 3, failures: 4, active: 5, reason: 6, detail: 7 } as const
const WORDS = 8
const TIME = { ejectedUntil: 0, since: 1, usableSince: 2, failedAt: 3 } as const
const TIMES = 4

/** Sizes of the memory of a service. */
interface StatesShape {
  /** Servers at most. */
  readonly capacity: number
  readonly units: number
  /** Bytes of the text of the set. */
  readonly textBytes: number
}

/** An ejection: its end in monotonic time, its number, and the failures that caused it. */
interface Ejection {
  readonly until: number
  readonly ejections: number
  readonly failures: number
}

/**
 * The servers of a service and their states, in memory that all units and the control thread share. Each change increments a
 * version, so that a unit computes the usable servers only when they may have changed.
 */
export class ServerStates {
  readonly #memory: SharedArrayBuffer
  readonly #header: Int32Array
  readonly #words: Int32Array
  readonly #times: Float64Array
  /** In-flight requests of this unit, and of no unit on the control thread. */
  readonly #own: Int32Array | null
  readonly #rows: Int32Array
  readonly #text: Uint8Array

  /** Memory of a new service. */
  static memory({ capacity, units, textBytes }: StatesShape): SharedArrayBuffer {
    const fixed = HEADER_WORDS * 4 + capacity * (WORDS * 4 + TIMES * 8 + units * 4)
    const memory = new SharedArrayBuffer(fixed + textBytes)
    const header = new Int32Array(memory, 0, HEADER_WORDS)
    header[CAPACITY] = capacity
    header[UNITS] = units
    return memory
  }

  /** `unit` is the number of this unit; null on the control thread. */
  constructor(memory: SharedArrayBuffer, unit: number | null) {
    this.#memory = memory
    this.#header = new Int32Array(memory, 0, HEADER_WORDS)
    const capacity = this.#header[CAPACITY]!
    const units = this.#header[UNITS]!
    let at = HEADER_WORDS * 4
    this.#times = new Float64Array(memory, at, capacity * TIMES)
    at += capacity * TIMES * 8
    this.#words = new Int32Array(memory, at, capacity * WORDS)
    at += capacity * WORDS * 4
    this.#rows = new Int32Array(memory, at, capacity * units)
    this.#own = unit === null ? null : this.#rows.subarray(unit * capacity, (unit + 1) * capacity)
    at += capacity * units * 4
    this.#text = new Uint8Array(memory, at)
  }

  get capacity(): number {
    return this.#header[CAPACITY]!
  }

  /** Bytes that the text of a set may have. */
  get textBytes(): number {
    return this.#text.length
  }

  /** Incremented by each change of a state. */
  get version(): number {
    return Atomics.load(this.#header, VERSION)
  }

  get setVersion(): number {
    return Atomics.load(this.#header, SET_VERSION)
  }

  /** The text of the set; null while it is being written. */
  readSet(): string | null {
    const version = this.setVersion
    if (version % 2 === 1) return null
    const text = Buffer.from(this.#text.slice(0, Atomics.load(this.#header, SET_BYTES))).toString()
    return this.setVersion === version ? text : null
  }

  /** Only for the owner of the memory. */
  writeSet(text: string): void {
    Atomics.add(this.#header, SET_VERSION, 1)
    const bytes = Buffer.from(text)
    this.#text.set(bytes)
    Atomics.store(this.#header, SET_BYTES, bytes.length)
    Atomics.add(this.#header, SET_VERSION, 1)
    this.#changed()
  }

  /** The key of sticky cookies without a configured secret. */
  get key(): Buffer {
    return Buffer.from(new Uint8Array(this.#memory, KEY * 4, KEY_BYTES).slice())
  }

  set key(key: Uint8Array) {
    new Uint8Array(this.#memory, KEY * 4, KEY_BYTES).set(key)
  }

  health(slot: number): number {
    return this.#load(slot, WORD.health)
  }

  admin(slot: number): number {
    return this.#load(slot, WORD.admin)
  }

  /** The state in one word, for operators. */
  stateOf(slot: number): ServerState {
    if (this.admin(slot) === ADMIN.draining) return 'draining'
    if (this.admin(slot) === ADMIN.ejected || this.isEjected(slot)) return 'ejected'
    const health = this.health(slot)
    return health === HEALTH.unknown ? 'unknown' : health === HEALTH.healthy ? 'healthy' : 'unhealthy'
  }

  isEjected(slot: number): boolean {
    return this.#load(slot, WORD.ejection) === EJECTION.ejected
  }

  /** Monotonic time. */
  ejectedUntil(slot: number): number {
    return this.#times[slot * TIMES + TIME.ejectedUntil]!
  }

  /** Number of ejected servers. */
  get ejected(): number {
    return Atomics.load(this.#header, EJECTED)
  }

  /** Monotonic time from which a slow start counts; 0 where the server has none. */
  usableSince(slot: number): number {
    return this.#times[slot * TIMES + TIME.usableSince]!
  }

  /** Monotonic time of the last failure. */
  failedAt(slot: number): number {
    return this.#times[slot * TIMES + TIME.failedAt]!
  }

  /** Time of the last change, in milliseconds since the epoch. */
  since(slot: number): number {
    return this.#times[slot * TIMES + TIME.since]!
  }

  reason(slot: number): string {
    return reasonText(this.#load(slot, WORD.reason), this.#load(slot, WORD.detail))
  }

  /** In-flight requests of all units. */
  active(slot: number): number {
    return Atomics.load(this.#words, slot * WORDS + WORD.active)
  }

  /** In-flight requests of all units to all servers. */
  get totalActive(): number {
    return Atomics.load(this.#header, ACTIVE)
  }

  setHealth(slot: number, health: number, cause: Reason, detail: number, now: number, monotonic: number): void {
    const before = Atomics.exchange(this.#words, slot * WORDS + WORD.health, health)
    if (health === HEALTH.healthy && before === HEALTH.unhealthy) this.#setTime(slot, TIME.usableSince, monotonic)
    if (health === HEALTH.unhealthy) this.#setTime(slot, TIME.failedAt, monotonic)
    this.#explain(slot, cause, detail, now)
  }

  setAdmin(slot: number, admin: number, now: number, monotonic: number): void {
    const before = Atomics.exchange(this.#words, slot * WORDS + WORD.admin, admin)
    if (admin === ADMIN.enabled) {
      if (before !== ADMIN.enabled) this.#setTime(slot, TIME.usableSince, monotonic)
      this.endEjection(slot, monotonic)
    }
    const cause = admin === ADMIN.enabled ? 'enabled' : admin === ADMIN.draining ? 'drained' : 'ejectedByAdmin'
    this.#explain(slot, cause, 0, now)
  }

  /** A slot of a server that joins; `monotonic` is 0 where it needs no slow start. */
  join(slot: number, now: number, monotonic: number): void {
    for (let word = 0; word < WORDS; word++)
      if (word !== WORD.active) Atomics.store(this.#words, slot * WORDS + word, 0)
    this.#times.fill(0, slot * TIMES, (slot + 1) * TIMES)
    this.#setTime(slot, TIME.usableSince, monotonic)
    this.#explain(slot, 'joined', 0, now)
  }

  /** Takes the state over that a server has in other memory. */
  takeOver(slot: number, from: ServerStates, fromSlot: number): void {
    for (const word of [
      WORD.health,
      WORD.admin,
      WORD.ejection,
      WORD.ejections,
      WORD.failures,
      WORD.reason,
      WORD.detail,
    ])
      Atomics.store(this.#words, slot * WORDS + word, from.#load(fromSlot, word))
    for (const time of Object.values(TIME)) this.#setTime(slot, time, from.#times[fromSlot * TIMES + time]!)
    const ejection = slot * WORDS + WORD.ejection
    if (Atomics.compareExchange(this.#words, ejection, EJECTION.claimed, EJECTION.none) === EJECTION.ejected)
      Atomics.add(this.#header, EJECTED, 1)
    this.#changed()
  }

  /** A server that leaves the set. */
  leave(slot: number): void {
    if (Atomics.exchange(this.#words, slot * WORDS + WORD.ejection, EJECTION.none) === EJECTION.ejected)
      Atomics.sub(this.#header, EJECTED, 1)
  }

  begin(slot: number): void {
    if (this.#own === null) return
    this.#own[slot]!++
    Atomics.add(this.#words, slot * WORDS + WORD.active, 1)
    Atomics.add(this.#header, ACTIVE, 1)
  }

  end(slot: number): void {
    if (this.#own === null) return
    this.#own[slot]!--
    Atomics.sub(this.#words, slot * WORDS + WORD.active, 1)
    Atomics.sub(this.#header, ACTIVE, 1)
  }

  /** The thread of a unit has ended, and with it its requests. */
  unitEnded(unit: number): void {
    const { capacity } = this
    for (let slot = 0; slot < capacity; slot++) {
      const active = this.#rows[unit * capacity + slot]!
      if (active === 0) continue
      this.#rows[unit * capacity + slot] = 0
      Atomics.sub(this.#words, slot * WORDS + WORD.active, active)
      Atomics.sub(this.#header, ACTIVE, active)
    }
  }

  /** Counts a failure; returns the number of failures in a row, over all units. */
  addFailure(slot: number, monotonic: number): number {
    this.#setTime(slot, TIME.failedAt, monotonic)
    return Atomics.add(this.#words, slot * WORDS + WORD.failures, 1) + 1
  }

  endFailures(slot: number): void {
    // Most requests succeed: reading does not take the cache line from other units.
    if (this.#load(slot, WORD.failures) !== 0) Atomics.store(this.#words, slot * WORDS + WORD.failures, 0)
  }

  /** Ejections that count for the length of the next one. */
  ejections(slot: number): number {
    return this.#load(slot, WORD.ejections)
  }

  /** Ejects the server unless `most` are ejected; true for the one caller that did it. */
  eject(slot: number, most: number, ejection: Ejection, now: number): boolean {
    const word = slot * WORDS + WORD.ejection
    if (Atomics.compareExchange(this.#words, word, EJECTION.none, EJECTION.claimed) !== EJECTION.none) return false
    if (Atomics.add(this.#header, EJECTED, 1) >= most) {
      Atomics.sub(this.#header, EJECTED, 1)
      Atomics.store(this.#words, word, EJECTION.none)
      return false
    }
    this.#setTime(slot, TIME.ejectedUntil, ejection.until)
    Atomics.store(this.#words, slot * WORDS + WORD.ejections, ejection.ejections)
    Atomics.store(this.#words, slot * WORDS + WORD.failures, 0)
    Atomics.store(this.#words, word, EJECTION.ejected)
    this.#explain(slot, 'failures', ejection.failures, now)
    return true
  }

  /** Ends an ejection whose time is over. */
  endEjectionIfDue(slot: number, now: number, monotonic: number): void {
    if (!this.isEjected(slot) || this.ejectedUntil(slot) > monotonic) return
    if (this.endEjection(slot, monotonic)) this.#explain(slot, 'ejectionEnded', 0, now)
  }

  endEjection(slot: number, monotonic: number): boolean {
    const ejection = slot * WORDS + WORD.ejection
    if (Atomics.compareExchange(this.#words, ejection, EJECTION.ejected, EJECTION.none) !== EJECTION.ejected)
      return false
    Atomics.sub(this.#header, EJECTED, 1)
    this.#setTime(slot, TIME.usableSince, monotonic)
    this.#changed()
    return true
  }

  #explain(slot: number, cause: Reason, detail: number, now: number): void {
    Atomics.store(this.#words, slot * WORDS + WORD.reason, numberOf(cause))
    Atomics.store(this.#words, slot * WORDS + WORD.detail, detail)
    this.#setTime(slot, TIME.since, now)
    this.#changed()
  }

  #load(slot: number, word: number): number {
    return Atomics.load(this.#words, slot * WORDS + word)
  }

  /** Aligned values of 8 bytes are written at once; the change of the version that follows makes them visible. */
  #setTime(slot: number, time: number, value: number): void {
    this.#times[slot * TIMES + time] = value
  }

  #changed(): void {
    Atomics.add(this.#header, VERSION, 1)
  }
}
