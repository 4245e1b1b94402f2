import type { Clock } from '#schema'
import { contentOf, epochOf, isClosed, MAX_CONTENT, nextEpoch, wordOf } from './circuit-word.ts'
import { type FailureCount, STATE } from './failure-count.ts'
import { FailureStreak } from './failure-streak.ts'
import { FailureWindow } from './failure-window.ts'

export interface CircuitSettings {
  readonly maxFailures: number
  /** Milliseconds. */
  readonly openDuration: number
  /** Requests in the window; null to count consecutive failures. */
  readonly size: number | null
}

/** The state of a circuit in memory shared by all units (spec, Circuit breaker). */
export class Circuit {
  readonly #words: BigInt64Array
  readonly #failures: FailureCount
  readonly #openDuration: number
  readonly #clock: Clock

  static bytes({ size }: Pick<CircuitSettings, 'size'>): number {
    return size === null ? BigInt64Array.BYTES_PER_ELEMENT : FailureWindow.bytes(size)
  }

  /** `offset` is that of the state in the memory, in bytes. */
  constructor(memory: SharedArrayBuffer, settings: CircuitSettings, clock: Clock, offset = 0) {
    const { maxFailures, openDuration, size } = settings
    this.#words = new BigInt64Array(memory, offset)
    this.#failures =
      size === null
        ? new FailureStreak(memory, maxFailures, offset)
        : new FailureWindow(memory, maxFailures, size, offset)
    this.#openDuration = openDuration
    this.#clock = clock
  }

  /** The epoch that a request belongs to; null where the circuit is open. */
  admit(): number | null {
    this.closeIfDue()
    const epoch = epochOf(Atomics.load(this.#words, STATE))
    return isClosed(epoch) ? epoch : null
  }

  /** Records the outcome of an admitted request, unless its epoch has ended; true if that opened the circuit. */
  record(epoch: number, failed: boolean): boolean {
    return this.#failures.add(epoch, failed, this.#opened)
  }

  /** Whether requests are refused now. */
  get isOpen(): boolean {
    const word = Atomics.load(this.#words, STATE)
    return !isClosed(epochOf(word)) && this.#clock.monotonic() < contentOf(word)
  }

  /** Closes the circuit after `openDuration`; true if this call did it. */
  closeIfDue(): boolean {
    const word = Atomics.load(this.#words, STATE)
    const epoch = epochOf(word)
    if (isClosed(epoch) || this.#clock.monotonic() < contentOf(word)) return false
    return Atomics.compareExchange(this.#words, STATE, word, wordOf(nextEpoch(epoch), 0)) === word
  }

  readonly #opened = (epoch: number): bigint => {
    const until = Math.ceil(this.#clock.monotonic() + this.#openDuration)
    return wordOf(nextEpoch(epoch), Math.min(until, MAX_CONTENT))
  }
}
