import type { ServerStates } from '../server-states.ts'
import { ServerView } from '../server-view.ts'
import type { Exclusion, Policy } from './policy.ts'
import { RandomPolicy } from './random.ts'
import type { RandomNumber } from './random-number.ts'

const ATTEMPTS = 4

/**
 * The server with fewer in-flight requests for its weight, of two that are chosen at random: with many servers as good as
 * asking all (Mitzenmacher, The Power of Two Choices), and a server that is slow gets fewer. All units count together.
 */
export class LeastRequestPolicy implements Policy {
  readonly #states: ServerStates
  readonly #any: RandomPolicy
  #view = new ServerView({ panicThreshold: 0, slowStart: 0 })

  constructor(states: ServerStates, random: RandomNumber) {
    this.#states = states
    this.#any = new RandomPolicy(random)
  }

  update(view: ServerView): void {
    this.#view = view
    this.#any.update(view)
  }

  next(exclusion: Exclusion): number {
    const first = this.#any.next(exclusion)
    const { usable } = this.#view
    if (first < 0 || usable.length === 1) return first
    const other = usable.length === 2 ? 1 - first : this.#other(first, exclusion)
    if (other === first || exclusion.excludes(usable[other]!.slot)) return first
    return this.#load(other) < this.#load(first) ? other : first
  }

  #other(first: number, exclusion: Exclusion): number {
    for (let i = 0; i < ATTEMPTS; i++) {
      const other = this.#any.next(exclusion)
      if (other !== first) return other
    }
    return (first + 1) % this.#view.usable.length
  }

  #load(position: number): number {
    return this.#states.active(this.#view.usable[position]!.slot) / this.#view.weights[position]!
  }
}
