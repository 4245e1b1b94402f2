import { ServerView } from '../server-view.ts'
import { type Exclusion, firstFrom, type Policy } from './policy.ts'
import type { RandomNumber } from './random-number.ts'
import { WeightedSample } from './weighted-sample.ts'

const ATTEMPTS = 4

/** Any server, in proportion to the weights. */
export class RandomPolicy implements Policy {
  readonly #sample: WeightedSample
  #view = new ServerView({ panicThreshold: 0, slowStart: 0 })

  constructor(random: RandomNumber) {
    this.#sample = new WeightedSample(random)
  }

  update(view: ServerView): void {
    this.#view = view
    this.#sample.update(view.weights)
  }

  next(exclusion: Exclusion): number {
    const { usable } = this.#view
    if (usable.length === 0) return -1
    for (let i = 0; i < ATTEMPTS; i++) {
      const position = this.#sample.next()
      if (!exclusion.excludes(usable[position]!.slot)) return position
    }
    return firstFrom(this.#sample.next(), this.#view, exclusion)
  }
}
