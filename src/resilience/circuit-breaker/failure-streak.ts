import { contentOf, epochOf, wordOf } from './circuit-word.ts'
import { type FailureCount, STATE } from './failure-count.ts'

/** Consecutive failures: one success resets the count. */
export class FailureStreak implements FailureCount {
  readonly #words: BigInt64Array
  readonly #maxFailures: number

  constructor(memory: SharedArrayBuffer, maxFailures: number, offset: number) {
    this.#words = new BigInt64Array(memory, offset)
    this.#maxFailures = maxFailures
  }

  add(epoch: number, failed: boolean, opened: (epoch: number) => bigint): boolean {
    for (;;) {
      const word = Atomics.load(this.#words, STATE)
      if (epochOf(word) !== epoch) return false
      const streak = failed ? contentOf(word) + 1 : 0
      const opens = streak >= this.#maxFailures
      const next = opens ? opened(epoch) : wordOf(epoch, streak)
      if (next === word || Atomics.compareExchange(this.#words, STATE, word, next) === word) return opens
    }
  }
}
