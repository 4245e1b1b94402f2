import { ADMIN, HEALTH, type ServerStates } from './server-states.ts'
import type { UpstreamServer } from './upstream-server.ts'

export interface ViewSettings {
  /** Percent of servers of a priority that must be healthy, else all of them are used; 0 for never. */
  readonly panicThreshold: number
  /** Milliseconds in which the weight of a server grows to its full value; 0 for none. */
  readonly slowStart: number
}

/** The part of its weight that a server has at the begin of its slow start. */
const LEAST_PART = 0.1
/** Steps of a slow start, and their least length in milliseconds. */
const STEPS = 20
const LEAST_STEP = 100
/** Fewer servers than this have no panic: the only healthy one is used. */
const MIN_FOR_PANIC = 3

/** The servers that requests may be sent to now, with their weights. */
export class ServerView {
  /** The servers of the priority in use, with a weight, in order of the set: hashes do not depend on health. */
  members: readonly UpstreamServer[] = []
  /** Usable servers, among the members. */
  usable: UpstreamServer[] = []
  /** The weights of the usable servers at this time. */
  weights: Float64Array = new Float64Array()
  /** Healthy servers of the priority in use. */
  healthy = 0
  /** Whether servers are used that are not healthy, since too few are. */
  isPanicking = false
  /** Monotonic time at which the view changes without a change of states; `Infinity` for never. */
  nextChange = Number.POSITIVE_INFINITY
  readonly #settings: ViewSettings

  constructor(settings: ViewSettings) {
    this.#settings = settings
  }

  update(servers: readonly UpstreamServer[], states: ServerStates, now: number, monotonic: number): void {
    this.nextChange = Number.POSITIVE_INFINITY
    for (const { slot } of servers) {
      states.endEjectionIfDue(slot, now, monotonic)
      if (states.isEjected(slot)) this.nextChange = Math.min(this.nextChange, states.ejectedUntil(slot))
    }
    this.#choosePriority(servers, states)
    this.weights = Float64Array.from(this.usable, (server) => this.#weightOf(server, states, monotonic))
  }

  /** The first priority with enough healthy servers; without one, the one with the most, in panic. */
  #choosePriority(servers: readonly UpstreamServer[], states: ServerStates): void {
    const priorities = [...new Set(servers.map(({ priority }) => priority))].sort((a, b) => a - b)
    let best: { readonly members: UpstreamServer[]; readonly open: UpstreamServer[]; readonly good: UpstreamServer[] } =
      {
        members: [],
        open: [],
        good: [],
      }
    for (const priority of priorities) {
      const members = servers.filter((server) => server.priority === priority && server.weight > 0)
      const open = members.filter(({ slot }) => states.admin(slot) === ADMIN.enabled)
      const good = open.filter(({ slot }) => states.health(slot) !== HEALTH.unhealthy && !states.isEjected(slot))
      if (this.#isEnough(good.length, open.length)) {
        this.#use(members, good, good.length, false)
        return
      }
      if (good.length > best.good.length || (best.good.length === 0 && best.open.length === 0))
        best = { members, open, good }
    }
    const { members, open, good } = best
    const panics = this.#settings.panicThreshold > 0
    const used = !panics ? good : open.length < MIN_FOR_PANIC && good.length === 0 ? lastFailed(open, states) : open
    this.#use(members, used, good.length, panics && used.length > good.length)
  }

  #isEnough(good: number, open: number): boolean {
    if (open < MIN_FOR_PANIC || this.#settings.panicThreshold === 0) return good > 0
    return good > 0 && (good * 100) / open >= this.#settings.panicThreshold
  }

  #use(members: UpstreamServer[], usable: UpstreamServer[], healthy: number, isPanicking: boolean): void {
    this.members = members
    this.usable = usable
    this.healthy = healthy
    this.isPanicking = isPanicking
  }

  #weightOf({ slot, weight }: UpstreamServer, states: ServerStates, monotonic: number): number {
    const { slowStart } = this.#settings
    const since = states.usableSince(slot)
    if (slowStart === 0 || since === 0 || monotonic - since >= slowStart) return weight
    this.nextChange = Math.min(this.nextChange, monotonic + Math.max(LEAST_STEP, slowStart / STEPS))
    return weight * Math.max(LEAST_PART, (monotonic - since) / slowStart)
  }
}

/** The server that failed last is the most likely to have recovered only for a moment, or to be slow rather than gone. */
function lastFailed(servers: readonly UpstreamServer[], states: ServerStates): UpstreamServer[] {
  const [first, ...others] = servers
  if (first === undefined) return []
  return [
    others.reduce((last, server) => (states.failedAt(server.slot) > states.failedAt(last.slot) ? server : last), first),
  ]
}
