import type { Clock } from '#schema'
import { Availability, type AvailabilityEvents } from './availability.ts'

/** The name of what commands without a key go to: the one server, or the cluster as a whole. */
export const ALL_NODES = ''

/**
 * Availability of each server, so that a lost node of a cluster does not block the others. Events describe
 * all of them together: lost with the first, found with the last.
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

  /** The server of a name; nodes are named by host and port. */
  of(name: string): Availability {
    const known = this.#all.get(name)
    if (known !== undefined) return known
    const fresh = new Availability(this.#clock, {
      lost: (problem) => this.#countLost(name === ALL_NODES ? problem : `${name}: ${problem}`),
      found: () => this.#countFound(),
    })
    this.#all.set(name, fresh)
    return fresh
  }

  /** Whether a node of a cluster counts as gone. */
  get hasLostNode(): boolean {
    return this.#lost > (this.isLost(ALL_NODES) ? 1 : 0)
  }

  /** Whether a server counts as gone. */
  isLost(name: string): boolean {
    return this.#all.get(name)?.isLost ?? false
  }

  /** Forgets all nodes but these. */
  keep(names: ReadonlySet<string>): void {
    for (const [name, server] of this.#all) {
      if (name === ALL_NODES || names.has(name)) continue
      this.#all.delete(name)
      if (server.isLost) this.#countFound()
    }
  }

  #countLost(problem: string): void {
    if (++this.#lost === 1) this.#events.lost(problem)
  }

  #countFound(): void {
    if (--this.#lost === 0) this.#events.found()
  }
}
