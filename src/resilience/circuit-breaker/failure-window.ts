import { contentOf, epochOf, wordOf } from './circuit-word.ts'
import { type FailureCount, STATE } from './failure-count.ts'

/** Sums wrap around at this number, far above the size of a window. */
const SUMS = 2 ** 21
const SUM_MASK = BigInt(SUMS - 1)
const LAP_BITS = 21n
const EPOCH_BITS = 42n

/**
 * Failures among the last `size` requests. The content of the state is the position of the next request; the
 * state is followed by a ring with one slot more than the window. A slot holds the sum of failures from the start of the
 * epoch up to its request, so that the difference of two slots is the number of failures between them.
 *
 * Lock-free: a unit that finds the slot of the next position taken advances the state itself, so that a unit that dies between
 * its two steps blocks no other and loses no outcome.
 */
export class FailureWindow implements FailureCount {
  readonly #words: BigInt64Array
  readonly #maxFailures: number
  readonly #size: number
  readonly #slots: number

  static bytes(size: number): number {
    return (STATE + 1 + size + 1) * BigInt64Array.BYTES_PER_ELEMENT
  }

  constructor(memory: SharedArrayBuffer, maxFailures: number, size: number, offset: number) {
    this.#words = new BigInt64Array(memory, offset)
    this.#maxFailures = maxFailures
    this.#size = size
    this.#slots = size + 1
  }

  add(epoch: number, failed: boolean, opened: (epoch: number) => bigint): boolean {
    for (;;) {
      const word = Atomics.load(this.#words, STATE)
      if (epochOf(word) !== epoch) return false
      const position = contentOf(word)
      const slot = this.#slotOf(position)
      const found = Atomics.load(this.#words, slot)
      // A unit that was preempted in between may read the slot of a later lap, which only looks free: retry.
      if (Atomics.load(this.#words, STATE) !== word) continue
      if (this.#isTaken(found, epoch, position)) {
        if (this.#advance(word, found, opened)) return true
        continue
      }
      const sum = (this.#sumBefore(position) + Number(failed)) % SUMS
      const taken = (this.#tagOf(epoch, position) << LAP_BITS) | BigInt(sum)
      // The slot is free only while the state is still `word`, so that the values read above are current if this succeeds.
      if (Atomics.compareExchange(this.#words, slot, found, taken) === found) return this.#advance(word, taken, opened)
    }
  }

  /** Advances to the next position, or opens the circuit if the window that ends here has too many failures. */
  #advance(word: bigint, taken: bigint, opened: (epoch: number) => bigint): boolean {
    const epoch = epochOf(word)
    const position = contentOf(word)
    const failures = (sumIn(taken) - this.#sumBefore(position - this.#size + 1) + SUMS) % SUMS
    const opens = failures >= this.#maxFailures
    const next = opens ? opened(epoch) : wordOf(epoch, position + 1)
    return Atomics.compareExchange(this.#words, STATE, word, next) === word && opens
  }

  #sumBefore(position: number): number {
    return position <= 0 ? 0 : sumIn(Atomics.load(this.#words, this.#slotOf(position - 1)))
  }

  #slotOf(position: number): number {
    return STATE + 1 + (position % this.#slots)
  }

  #isTaken(found: bigint, epoch: number, position: number): boolean {
    return found >> LAP_BITS === this.#tagOf(epoch, position)
  }

  /** Distinguishes the request of a slot from earlier ones. Laps begin at one: zeroed memory is free. */
  #tagOf(epoch: number, position: number): bigint {
    const lap = (Math.floor(position / this.#slots) + 1) % 2 ** Number(LAP_BITS)
    return (BigInt(epoch) << (EPOCH_BITS - LAP_BITS)) | BigInt(lap)
  }
}

function sumIn(slot: bigint): number {
  return Number(slot & SUM_MASK)
}
