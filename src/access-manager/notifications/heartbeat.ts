import type { Executor } from '#contracts'
import type { Clock } from '#schema'

/** When a connection counts as dead; times in milliseconds, `Infinity` for never. */
export interface HeartbeatSettings {
  /** Between two pings. Half of it later something must have come. */
  readonly interval: number
  /** The longest silence on the wire, pings and pongs included. */
  readonly idleTimeout: number
  readonly executor: Executor
  readonly clock: Clock
}

/** Detects a half-open connection: at most one and a half intervals after the last data. */
export class Heartbeat {
  readonly #settings: HeartbeatSettings
  readonly #ping: () => void
  readonly #dead: (reason: string) => void
  #heard = 0
  #lastTraffic: number
  #cancelBeat = (): void => {}
  #cancelIdle = (): void => {}

  constructor(settings: HeartbeatSettings, ping: () => void, dead: (reason: string) => void) {
    this.#settings = settings
    this.#ping = ping
    this.#dead = dead
    this.#lastTraffic = settings.clock.monotonic()
    this.#beatLater()
    this.#watchIdle()
  }

  /** Something came. */
  heard(): void {
    this.#heard++
    this.#lastTraffic = this.#settings.clock.monotonic()
  }

  stop(): void {
    this.#cancelBeat()
    this.#cancelIdle()
  }

  #beatLater(): void {
    const { interval, executor } = this.#settings
    if (!isLimited(interval)) return
    this.#cancelBeat = executor.schedule(interval, () => this.#beat())
  }

  #beat(): void {
    const before = this.#heard
    const half = this.#settings.interval / 2
    this.#lastTraffic = this.#settings.clock.monotonic()
    this.#ping()
    this.#cancelBeat = this.#settings.executor.schedule(half, () => {
      if (this.#heard === before) {
        this.#dead('nothing was heard after a ping')
        return
      }
      this.#cancelBeat = this.#settings.executor.schedule(half, () => this.#beat())
    })
  }

  #watchIdle(): void {
    const { idleTimeout, clock, executor } = this.#settings
    if (!isLimited(idleTimeout)) return
    const left = this.#lastTraffic + idleTimeout - clock.monotonic()
    if (left <= 0) this.#dead('it was idle for idleTimeout')
    else this.#cancelIdle = executor.schedule(left, () => this.#watchIdle())
  }
}

/** Zero and unlimited both mean that nothing is done. */
export function isLimited(time: number): boolean {
  return time > 0 && Number.isFinite(time)
}
