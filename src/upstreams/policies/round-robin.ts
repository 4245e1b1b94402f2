import { ServerView } from '../server-view.ts'
import { type Exclusion, firstFrom, type Policy } from './policy.ts'
import { RANDOM_RANGE, type RandomNumber } from './random-number.ts'

/** Turns that excluded servers may take, before the next one in order is used. */
const MAX_SKIPPED = 16

/**
 * Each server in turn, as often as its weight says and evenly spread: the earliest deadline is next, and moves by 1 / weight (as
 * in Envoy and Traefik). Units begin at different servers.
 */
export class RoundRobinPolicy implements Policy {
  readonly #random: RandomNumber
  #view = new ServerView({ panicThreshold: 0, slowStart: 0 })
  /** Deadlines by slot: a server that stays usable keeps its turn. */
  readonly #bySlot = new Map<number, number>()
  #deadlines = new Float64Array()
  /** Positions as a heap of deadlines. */
  #heap = new Int32Array()
  /** The last deadline that was used, in an array so that a new value needs no memory. */
  readonly #last = new Float64Array(1)

  constructor(random: RandomNumber) {
    this.#random = random
  }

  update(view: ServerView): void {
    for (const [position, { slot }] of this.#view.usable.entries()) this.#bySlot.set(slot, this.#deadlines[position]!)
    const known = new Map(this.#bySlot)
    this.#bySlot.clear()
    this.#view = view
    const { usable, weights } = view
    const time = this.#last[0]!
    this.#deadlines = Float64Array.from(usable, ({ slot }, position) => {
      const deadline = known.get(slot) ?? time + this.#random() / RANDOM_RANGE / weights[position]!
      // Growing weights must not wait for the turn of a small one.
      return Math.min(Math.max(deadline, time), time + 1 / weights[position]!)
    })
    for (const [position, { slot }] of usable.entries()) this.#bySlot.set(slot, this.#deadlines[position]!)
    this.#heap = Int32Array.from(usable.keys()).sort((a, b) => this.#deadlines[a]! - this.#deadlines[b]!)
  }

  next(exclusion: Exclusion): number {
    const { usable } = this.#view
    if (usable.length === 0) return -1
    for (let i = 0; i < MAX_SKIPPED; i++) {
      const position = this.#advance()
      if (!exclusion.excludes(usable[position]!.slot)) return position
    }
    return firstFrom(this.#heap[0]!, this.#view, exclusion)
  }

  #advance(): number {
    const position = this.#heap[0]!
    this.#last[0] = this.#deadlines[position]!
    this.#deadlines[position]! += 1 / this.#view.weights[position]!
    this.#siftDown()
    return position
  }

  #siftDown(): void {
    const heap = this.#heap
    const deadlines = this.#deadlines
    const top = heap[0]!
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && deadlines[heap[child + 1]!]! < deadlines[heap[child]!]!) child++
      if (deadlines[heap[child]!]! >= deadlines[top]!) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = top
  }
}
