import type { ServerStates } from '../server-states.ts'
import { ServerView } from '../server-view.ts'
import type { UpstreamServer } from '../upstream-server.ts'
import { hashOf } from './hash.ts'
import type { Exclusion, Policy } from './policy.ts'

/** Points of a server with the least weight, and of all servers. */
const POINTS = 160
const MAX_POINTS = 131_072
/** In-flight requests of a server, relative to its share: beyond it the next server of the ring is used. */
const BOUND = 1.25
const INDEX_BITS = 2 ** 20

/**
 * The server whose point on a ring follows the hash of the request (Karger et al., Consistent Hashing, 1997), with bounded load
 * (Mirrokni et al., 2016): other requests stay where they are when a server joins or leaves.
 */
export class HashPolicy implements Policy {
  readonly #states: ServerStates
  #view = new ServerView({ panicThreshold: 0, slowStart: 0 })
  #members: readonly UpstreamServer[] = []
  #points = new Uint32Array()
  /** Positions in `members` of the points. */
  #owners = new Int32Array()
  /** Positions in `usable` of the members; -1 for one that is not usable. */
  #usable = new Int32Array()
  #weight = 0

  constructor(states: ServerStates) {
    this.#states = states
  }

  update(view: ServerView): void {
    this.#view = view
    if (!isSame(this.#members, view.members)) this.#build(view.members)
    const positions = new Map(view.usable.map(({ slot }, position) => [slot, position]))
    this.#usable = Int32Array.from(view.members, ({ slot }) => positions.get(slot) ?? -1)
    this.#weight = view.weights.reduce((sum, weight) => sum + weight, 0)
  }

  next(exclusion: Exclusion, key: number): number {
    const count = this.#points.length
    if (this.#view.usable.length === 0) return -1
    const start = this.#firstFrom(key)
    let fallback = -1
    for (let i = 0; i < count; i++) {
      const position = this.#usable[this.#owners[(start + i) % count]!]!
      if (position < 0 || exclusion.excludes(this.#view.usable[position]!.slot)) continue
      if (this.#hasRoom(position)) return position
      if (fallback < 0) fallback = position
    }
    return fallback
  }

  /** Whether one more request is within the bound. */
  #hasRoom(position: number): boolean {
    const { usable, weights } = this.#view
    const share = ((this.#states.totalActive + 1) * weights[position]!) / this.#weight
    return this.#states.active(usable[position]!.slot) + 1 <= Math.ceil(share * BOUND)
  }

  /** The index of the first point at or behind a hash. */
  #firstFrom(key: number): number {
    const points = this.#points
    let low = 0
    let high = points.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (points[middle]! < key) low = middle + 1
      else high = middle
    }
    return low === points.length ? 0 : low
  }

  #build(members: readonly UpstreamServer[]): void {
    this.#members = members
    const least = Math.min(...members.map(({ weight }) => weight))
    const total = members.reduce((sum, { weight }) => sum + weight, 0)
    const perWeight = Math.min(POINTS / least, MAX_POINTS / total)
    const keys: number[] = []
    for (const [index, { url, weight }] of members.entries()) {
      const points = Math.max(1, Math.round(weight * perWeight))
      for (let point = 0; point < points; point++) keys.push(hashOf(`${url} ${point}`) * INDEX_BITS + index)
    }
    const sorted = Float64Array.from(keys).sort()
    this.#points = Uint32Array.from(sorted, (value) => Math.floor(value / INDEX_BITS))
    this.#owners = Int32Array.from(sorted, (value) => value % INDEX_BITS)
  }
}

function isSame(before: readonly UpstreamServer[], after: readonly UpstreamServer[]): boolean {
  return before.length === after.length && before.every((server, i) => server === after[i])
}
