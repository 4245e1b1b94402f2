import type { Clock } from '#schema'
import type { ServerStates } from './server-states.ts'

interface OutlierSettings {
  readonly consecutiveFailures: number
  /** Milliseconds after which an earlier ejection no longer makes the next one longer. */
  readonly interval: number
  /** Milliseconds. */
  readonly baseEjectionTime: number
  readonly maxEjectionTime: number
  readonly maxEjectionPercent: number
}

/** Ejects servers whose requests fail, counted exactly over all units. */
export class OutlierDetection {
  readonly #states: ServerStates
  readonly #settings: OutlierSettings
  readonly #clock: Clock

  constructor(states: ServerStates, settings: OutlierSettings, clock: Clock) {
    this.#states = states
    this.#settings = settings
    this.#clock = clock
  }

  succeeded(slot: number): void {
    this.#states.endFailures(slot)
  }

  /** True for the request that ejected the server, of so many servers. */
  failed(slot: number, servers: number): boolean {
    const { consecutiveFailures, interval, baseEjectionTime, maxEjectionTime } = this.#settings
    const now = this.#clock.monotonic()
    const failures = this.#states.addFailure(slot, now)
    if (failures < consecutiveFailures) return false
    const ended = this.#states.ejectedUntil(slot)
    const earlier = Math.max(0, this.#states.ejections(slot) - Math.floor((now - ended) / interval))
    const ejections = earlier + 1
    const until = now + Math.min(baseEjectionTime * ejections, Math.max(baseEjectionTime, maxEjectionTime))
    return this.#states.eject(slot, this.#most(servers), { until, ejections, failures }, this.#clock.now())
  }

  /** At least one server may be ejected, and never all. */
  #most(servers: number): number {
    const share = Math.floor((servers * this.#settings.maxEjectionPercent) / 100)
    return Math.min(Math.max(1, share), servers - 1)
  }
}
