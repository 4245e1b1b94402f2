import type { Executor } from '#contracts'
import type { Clock } from '#schema'

/** When a connection is unresponsive; times in milliseconds, `Infinity` for never. */
export interface HeartbeatSettings {
  /** Between two pings; the peer has half of it to send anything. */
  readonly interval: number
  /** Longest time without traffic, pings and pongs included. */
  readonly idleTimeout: number
  readonly executor: Executor
  readonly clock: Clock
}

/** Detects an unresponsive peer at most one and a half intervals after its last traffic. */
export class Heartbeat {
  readonly #settings: HeartbeatSettings
  readonly #ping: () => void
  readonly #onTimeout: (reason: string) => void
  #received = 0
  #lastTraffic: number
  #cancelBeat = (): void => {}
  #cancelIdle = (): void => {}

  constructor(settings: HeartbeatSettings, ping: () => void, onTimeout: (reason: string) => void) {
    this.#settings = settings
    this.#ping = ping
    this.#onTimeout = onTimeout
    this.#lastTraffic = settings.clock.monotonic()
    this.#scheduleBeat()
    this.#watchIdle()
  }

  /** Called for every frame of the peer. */
  onActivity(): void {
    this.#received++
    this.#lastTraffic = this.#settings.clock.monotonic()
  }

  stop(): void {
    this.#cancelBeat()
    this.#cancelIdle()
  }

  #scheduleBeat(): void {
    const { interval, executor } = this.#settings
    if (!isLimited(interval)) return
    this.#cancelBeat = executor.schedule(interval, () => this.#beat())
  }

  #beat(): void {
    const before = this.#received
    const half = this.#settings.interval / 2
    this.#lastTraffic = this.#settings.clock.monotonic()
    this.#ping()
    this.#cancelBeat = this.#settings.executor.schedule(half, () => {
      if (this.#received === before) {
        this.#onTimeout('no response to a ping')
        return
      }
      this.#cancelBeat = this.#settings.executor.schedule(half, () => this.#beat())
    })
  }

  #watchIdle(): void {
    const { idleTimeout, clock, executor } = this.#settings
    if (!isLimited(idleTimeout)) return
    const left = this.#lastTraffic + idleTimeout - clock.monotonic()
    if (left <= 0) this.#onTimeout('it was idle for idleTimeout')
    else this.#cancelIdle = executor.schedule(left, () => this.#watchIdle())
  }
}

/** False for zero and `Infinity`, which both disable a timer. */
export function isLimited(time: number): boolean {
  return time > 0 && Number.isFinite(time)
}
