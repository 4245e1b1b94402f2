import type { JsonObject } from '#json'
import type { Clock, UpstreamPlan, UpstreamServerPlan } from '#schema'
import { type ServerStates, textOfSet } from '#upstreams'
import { MAX_DISCOVERED } from './discovery.ts'

/** Bytes of the text of one server: beside its URL, and with one that discovery makes. */
const ROW_BYTES = 40
const DISCOVERED_BYTES = 100

/** The servers of one service with their places in its memory. */
export class ServerSet {
  readonly states: ServerStates
  readonly #clock: Clock
  /** The set of the revision before, whose states are taken over; null after the first servers. */
  readonly #earlier: ServerSet | null
  readonly #slots = new Map<string, number>()
  /** Places that servers have left. */
  readonly #free: number[] = []
  #used = 0
  #servers: readonly UpstreamServerPlan[] = []
  #isFirst = true

  static shape({ servers, discovery }: UpstreamPlan, units: number): Parameters<typeof ServerStates.memory>[0] {
    const bytes = servers.reduce((sum, { url }) => sum + Buffer.byteLength(url) + ROW_BYTES, 2)
    const discovered = discovery === null ? 0 : MAX_DISCOVERED
    return { capacity: servers.length + discovered, units, textBytes: bytes + discovered * DISCOVERED_BYTES }
  }

  constructor(states: ServerStates, clock: Clock, earlier: ServerSet | null) {
    this.states = states
    this.#clock = clock
    this.#earlier = earlier
  }

  slotOf(url: string): number | null {
    return this.#slots.get(url) ?? null
  }

  /** The servers with their states, for the management API. */
  report(): { servers: JsonObject[] } {
    const { states } = this
    const servers = this.#servers.map((server) => {
      const slot = this.#slots.get(server.url)!
      return {
        ...server,
        state: states.stateOf(slot),
        reason: states.reason(slot),
        since: new Date(states.since(slot)).toISOString(),
        active: states.active(slot),
      }
    })
    return { servers }
  }

  /** Replaces the servers; those that stay keep their states. */
  replace(servers: readonly UpstreamServerPlan[]): void {
    this.#servers = servers
    const urls = new Set(servers.map(({ url }) => url))
    for (const [url, slot] of this.#slots) {
      if (urls.has(url)) continue
      this.states.leave(slot)
      this.#slots.delete(url)
      this.#free.push(slot)
    }
    for (const { url } of servers) if (!this.#slots.has(url)) this.#join(url)
    this.states.writeSet(textOfSet(servers.map((server) => ({ ...server, slot: this.#slots.get(server.url)! }))))
    if (servers.length > 0) this.#isFirst = false
  }

  #join(url: string): void {
    const slot = this.#free.pop() ?? this.#used++
    this.#slots.set(url, slot)
    const before = this.#earlier?.slotOf(url) ?? null
    // The servers of a new service need no slow start: there is no other one that could take their requests.
    const isNew = !this.#isFirst || this.#earlier !== null
    this.states.join(slot, this.#clock.now(), isNew ? this.#clock.monotonic() : 0)
    if (before !== null) this.states.takeOver(slot, this.#earlier!.states, before)
  }
}
