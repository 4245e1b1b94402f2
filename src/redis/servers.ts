import type { Clock } from '#schema'
import { Availability, type AvailabilityEvents } from './availability.ts'

/** Name of the single server, and of a cluster as a whole: target of commands without a key. */
export const ALL_NODES = ''

/**
 * Availability of each server, so that a lost node of a cluster does not block the others. Events are
 * about all servers together: lost with the first, recovered with the last.
 */
export class ServerStates {
  readonly #clock: Clock
  readonly #events: AvailabilityEvents
  readonly #all = new Map<string, Availability>()
  #lost = 0

  constructor(clock: Clock, events: AvailabilityEvents) {
    this.#clock = clock
    this.#events = events
  }

  /** Nodes are named by host and port. */
  of(name: string): Availability {
    const known = this.#all.get(name)
    if (known !== undefined) return known
    const of = (problem: string): string => (name === ALL_NODES ? problem : `${name}: ${problem}`)
    const fresh = new Availability(this.#clock, {
      onLost: (problem) => this.#countLost(of(problem)),
      onFailedAgain: (problem) => this.#events.onFailedAgain(of(problem)),
      onRecovered: () => this.#countRecovered(),
    })
    this.#all.set(name, fresh)
    return fresh
  }

  get hasLostNode(): boolean {
    return this.#lost > (this.isLost(ALL_NODES) ? 1 : 0)
  }

  isLost(name: string): boolean {
    return this.#all.get(name)?.isLost ?? false
  }

  /** Drops all nodes but these. */
  retain(names: ReadonlySet<string>): void {
    for (const [name, server] of this.#all) {
      if (name === ALL_NODES || names.has(name)) continue
      this.#all.delete(name)
      if (server.isLost) this.#countRecovered()
    }
  }

  #countLost(problem: string): void {
    if (++this.#lost === 1) this.#events.onLost(problem)
    else this.#events.onFailedAgain(problem)
  }

  #countRecovered(): void {
    if (--this.#lost === 0) this.#events.onRecovered()
  }
}
