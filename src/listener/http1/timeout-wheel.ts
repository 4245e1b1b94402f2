import { ActiveList, type ActiveListItem } from '#http'

/** Milliseconds of a tick. */
const PERIOD = 50
const BUCKETS = 1024
/** A turn that is later counts as one tick: the event loop was stalled, and bytes that wait in the sockets are read first. */
const MAX_TICKS_AT_ONCE = 4

/** A connection with time-outs. */
export interface Timed extends ActiveListItem {
  /** Tick of the next check; owned by the wheel. */
  dueAt: number
  /** Ends what is late; returns the tick of the next check, or null where none is needed. */
  check(now: number): number | null
}

/**
 * Time-outs of all connections of a thread with one timer. An item is in the bucket of the tick of its next check; one whose
 * deadline moves to a later tick stays where it is until then, so that a request costs nothing here. A time-out fires late by
 * two ticks, or the time for which the event loop was stalled; never early.
 */
export class TimeoutWheel {
  readonly #buckets = Array.from({ length: BUCKETS }, () => new ActiveList<Timed>())
  #now = 0
  #size = 0
  #timer: NodeJS.Timeout | null = null
  #tickedAt = 0

  /** In ticks. */
  get now(): number {
    return this.#now
  }

  /** Ticks that last at least so many milliseconds. */
  ticks(milliseconds: number): number {
    return Math.ceil(milliseconds / PERIOD) + 1
  }

  add(item: Timed, dueAt: number): void {
    item.dueAt = Math.max(this.#now + 1, Math.min(dueAt, this.#now + BUCKETS - 1))
    this.#buckets[item.dueAt % BUCKETS]!.add(item)
    this.#size++
    if (this.#timer !== null) return
    this.#tickedAt = performance.now()
    this.#timer = setInterval(() => this.#onTimer(performance.now()), PERIOD).unref()
  }

  delete(item: Timed): void {
    if (item.slot < 0) return
    this.#buckets[item.dueAt % BUCKETS]!.delete(item)
    this.#size--
  }

  /** Checks an item earlier than planned. */
  hasten(item: Timed, dueAt: number): void {
    if (item.slot < 0 || dueAt >= item.dueAt) return
    this.delete(item)
    this.add(item, dueAt)
  }

  /** Checks what is due after another tick. */
  tick(): void {
    this.#now++
    const bucket = this.#buckets[this.#now % BUCKETS]!
    if (bucket.size === 0) return
    for (const item of bucket.all()) {
      // Another one may have deleted it.
      if (item.slot < 0) continue
      this.delete(item)
      const next = item.check(this.#now)
      if (next !== null) this.add(item, next)
    }
  }

  #onTimer(time: number): void {
    const passed = Math.floor((time - this.#tickedAt) / PERIOD)
    const wasStalled = passed > MAX_TICKS_AT_ONCE
    const ticks = wasStalled ? 1 : Math.max(1, passed)
    this.#tickedAt = wasStalled ? time : this.#tickedAt + ticks * PERIOD
    for (let count = 0; count < ticks; count++) this.tick()
    if (this.#size > 0 || this.#timer === null) return
    clearInterval(this.#timer)
    this.#timer = null
  }
}

/** The wheel of this thread. */
export const connectionTimeouts: TimeoutWheel = new TimeoutWheel()
