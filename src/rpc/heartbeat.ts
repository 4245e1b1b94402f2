/** Limits of missed heartbeats; all but `interval` are numbers of intervals. */
export interface HeartbeatLimits {
  /** Milliseconds between two checks. */
  readonly interval: number
  /** Intervals without an answer after which the thread is unresponsive. */
  readonly unresponsive: number
  /** Intervals without an answer after which it is lost. */
  readonly lost: number
  /** The same for a thread that is still starting. */
  readonly lostWhileStarting: number
  /** Intervals for a thread to terminate: some system calls can not be interrupted. */
  readonly ending: number
}

/** Not ready after 5 s, lost after 15 s: its replacement serves within 30 s. Stalls up to 4 s have no effect. */
export const HEARTBEAT: HeartbeatLimits = {
  interval: 1_000,
  unresponsive: 5,
  lost: 15,
  lostWhileStarting: 60,
  ending: 5,
}

/** Callbacks of a heartbeat. */
interface HeartbeatEvents {
  ping(): void
  /** Whether the thread is still loading. */
  isStarting(): boolean
  unresponsive(): void
  recovered(): void
  lost(): void
}

/**
 * Checks that the event loop of another thread runs. Counts intervals instead of time: a stall of this thread or of the
 * process is one missed interval, however long it is.
 */
export class Heartbeat implements Disposable {
  readonly #limits: HeartbeatLimits
  readonly #events: HeartbeatEvents
  readonly #timer: NodeJS.Timeout
  #isWaiting = false
  #missed = 0

  constructor(limits: HeartbeatLimits, events: HeartbeatEvents) {
    this.#limits = limits
    this.#events = events
    this.#timer = setInterval(() => this.#check(), limits.interval).unref()
  }

  /** Milliseconds without an answer. */
  get unansweredFor(): number {
    return this.#missed * this.#limits.interval
  }

  /** The thread has answered. */
  answered(): void {
    const wasUnresponsive = this.#missed >= this.#limits.unresponsive
    this.#isWaiting = false
    this.#missed = 0
    if (wasUnresponsive && !this.#events.isStarting()) this.#events.recovered()
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  #check(): void {
    if (!this.#isWaiting) {
      this.#isWaiting = true
      this.#events.ping()
      return
    }
    this.#missed++
    const { unresponsive, lost, lostWhileStarting } = this.#limits
    const isStarting = this.#events.isStarting()
    if (this.#missed === unresponsive && !isStarting) this.#events.unresponsive()
    if (this.#missed >= (isStarting ? lostWhileStarting : lost)) {
      this[Symbol.dispose]()
      this.#events.lost()
    }
  }
}
