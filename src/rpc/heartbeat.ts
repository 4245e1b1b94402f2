/** When a thread counts as what; all but the interval are numbers of intervals. */
export interface HeartbeatLimits {
  /** Milliseconds between two looks. */
  readonly interval: number
  /** Intervals without an answer after which the thread is unresponsive. */
  readonly unresponsive: number
  /** And after which it is lost. */
  readonly lost: number
  /** The same for a thread that is still starting. */
  readonly lostWhileStarting: number
  /** Intervals that a thread has to end: some system calls can not be interrupted. */
  readonly ending: number
}

/** Not ready after 5 s, lost after 15 s: its successor serves before 30 s are over. Stalls up to 4 s go unnoticed. */
export const HEARTBEAT: HeartbeatLimits = {
  interval: 1_000,
  unresponsive: 5,
  lost: 15,
  lostWhileStarting: 60,
  ending: 5,
}

/** What becomes of a thread. */
interface HeartbeatEvents {
  ping(): void
  /** Whether the thread is still loading. */
  isStarting(): boolean
  unresponsive(): void
  recovered(): void
  lost(): void
}

/**
 * Watches whether the event loop of another thread turns. Counts intervals rather than time: a stall of the own thread,
 * or of the whole process, is one interval without an answer, however long it was.
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
    this.#timer = setInterval(() => this.#look(), limits.interval).unref()
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

  #look(): void {
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
