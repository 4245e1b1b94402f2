import type { Watched } from '../watchdog.ts'
import type { Injection } from './relay-direction.ts'

/** Liveness check of one peer of a relayed connection. */
export interface Liveness extends Watched {
  /** The peer sent bytes, or accepted some. */
  onActivity(): void
  /** Reading from the peer is paused: it can only show activity by accepting bytes. */
  onPause(): void
  onResume(): void
}

/** Closes a connection without a byte in either direction for some time (decisions, "websocket.soTimeout"). */
export class IdleTimeout implements Liveness {
  deadline: number
  slot = -1
  readonly #time: number
  readonly #terminate: () => void

  constructor(time: number, terminate: () => void) {
    this.#time = time
    this.#terminate = terminate
    this.deadline = performance.now() + time
  }

  onActivity(): void {
    this.deadline = performance.now() + this.#time
  }

  onPause(): void {}

  onResume(): void {
    this.onActivity()
  }

  expire(): void {
    this.#terminate()
  }
}

/** The system sends what its buffer has, some megabytes, before it accepts more: a slow peer needs longer than for a pong. */
const MAX_BLOCKED = 5

/** Actions of a heartbeat on its peer. */
interface HeartbeatActions {
  ping(): Injection
  /** Whether bytes wait until the peer accepts them. */
  isBlocked(): boolean
  terminate(): void
}

/**
 * Pings a peer without activity, and terminates the connection if it stays unresponsive. A peer that does not read in the
 * middle of a frame can not be pinged: it has to accept bytes instead. After a Close frame, or the end, it has to close.
 */
export class Heartbeat implements Liveness {
  deadline: number
  slot = -1
  readonly #time: number
  readonly #actions: HeartbeatActions
  /** Whether a response is due: a pong, or the end of a connection that is closing. */
  #pinged = false
  /** Times without activity in which bytes waited, and no ping could be sent. */
  #blocked = 0
  #isPaused = false

  constructor(time: number, actions: HeartbeatActions) {
    this.#time = time
    this.#actions = actions
    this.deadline = performance.now() + time
  }

  onActivity(): void {
    this.#pinged = false
    this.#blocked = 0
    this.deadline = performance.now() + this.#time
  }

  onPause(): void {
    this.#isPaused = true
  }

  onResume(): void {
    this.#isPaused = false
    this.onActivity()
  }

  expire(): void {
    const isBlocked = this.#actions.isBlocked()
    if (this.#isPaused && !isBlocked) {
      this.onActivity()
      return
    }
    if (this.#pinged || this.#blocked === MAX_BLOCKED) {
      this.#actions.terminate()
      return
    }
    const ping = this.#actions.ping()
    this.#pinged = ping === 'sent' || (ping === 'impossible' && !isBlocked)
    if (!this.#pinged && isBlocked) this.#blocked++
    this.deadline = performance.now() + this.#time
  }
}
