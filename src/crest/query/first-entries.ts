import type { Steps } from '../time-slices.ts'
import type { Order, RankedEntry } from './order.ts'

/** Entries collected beyond twice the limit before they are sorted and the last dropped. */
const SLACK = 1_024

/** Collects the first entries of a result in order. A page of a large collection does not need the rest sorted. */
export class FirstEntries<E extends { readonly id: string }> {
  readonly #order: Order<E>
  readonly #wanted: number
  #kept: RankedEntry<E>[] = []
  /** Entries after it are not among the first ones. */
  #last: RankedEntry<E> | null = null

  constructor(order: Order<E>, wanted: number) {
    this.#order = order
    this.#wanted = wanted
  }

  add(placed: RankedEntry<E>): void {
    if (this.#last === null || this.#order.compare(placed.position, this.#last.position) < 0) this.#kept.push(placed)
  }

  /** Whether `shrink` should be called. */
  get isFull(): boolean {
    return this.#kept.length >= this.#wanted * 2 + SLACK
  }

  *shrink(): Steps<readonly RankedEntry<E>[]> {
    const sorted = yield* this.#order.sorted(this.#kept)
    this.#kept = sorted.slice(0, this.#wanted)
    if (this.#kept.length === this.#wanted) this.#last = this.#kept.at(-1) ?? null
    return this.#kept
  }
}
