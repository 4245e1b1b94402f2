import type { Watched } from '../watchdog.ts'

/** Watches whether an end of a connection is still there. */
export interface Pulse extends Watched {
  /** The end gave a sign of life: bytes came from it, or it took some. */
  heard(): void
  /** Nothing is read from the end for now, so that nothing can be heard of it. */
  held(): void
}

/** Ends a connection on which no byte moved for a time, in whatever direction (decisions, "websocket.soTimeout"). */
export class IdleLimit implements Pulse {
  deadline: number
  slot = -1
  readonly #time: number
  readonly #giveUp: () => void

  constructor(time: number, giveUp: () => void) {
    this.#time = time
    this.#giveUp = giveUp
    this.deadline = performance.now() + time
  }

  heard(): void {
    this.deadline = performance.now() + this.#time
  }

  held(): void {}

  expire(): void {
    this.#giveUp()
  }
}

/** What a heartbeat does to the end it listens to. */
export interface HeartbeatActions {
  /** Says whether the ping is on its way. */
  ping(): boolean
  giveUp(): void
}

/** Asks an end that is quiet whether it is still there, and gives it up when it does not answer. */
export class Heartbeat implements Pulse {
  deadline: number
  slot = -1
  readonly #time: number
  readonly #actions: HeartbeatActions
  #asked = false

  constructor(time: number, actions: HeartbeatActions) {
    this.#time = time
    this.#actions = actions
    this.deadline = performance.now() + time
  }

  heard(): void {
    this.#asked = false
    this.deadline = performance.now() + this.#time
  }

  held(): void {
    this.deadline = Number.POSITIVE_INFINITY
  }

  expire(): void {
    if (this.#asked) {
      this.#actions.giveUp()
      return
    }
    this.#asked = this.#actions.ping()
    this.deadline = performance.now() + this.#time
  }
}
