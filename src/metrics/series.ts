import type { Counter, Gauge, Reading, Summary } from '#schema'
import { Observations } from './observations.ts'

/** Seconds between two ticks of the rates. */
export const TICK_SECONDS = 5

const DECAY_1 = 1 - Math.exp(-TICK_SECONDS / 60)
const DECAY_5 = 1 - Math.exp(-TICK_SECONDS / 300)
const DECAY_15 = 1 - Math.exp(-TICK_SECONDS / 900)

/** A counter, shared by all versions of the object it belongs to: totals outlive a reload. */
export class CounterSeries implements Counter {
  value = 0

  add(amount = 1): void {
    this.value += amount
  }
}

/** What one holder contributes to a gauge; goes with the holder. */
export class GaugePart implements Gauge {
  value = 0

  set(value: number): void {
    this.value = value
  }

  add(amount: number): void {
    this.value += amount
  }
}

/** A number of one holder that is read when it is asked for. */
export class ReadPart {
  readonly #reading: Reading

  constructor(reading: Reading) {
    this.#reading = reading
  }

  get value(): number {
    return this.#reading.read()
  }
}

/** Observations since the beginning as a sum and a count, those of the last minutes one by one, and their rate. */
export class SummarySeries implements Summary {
  count = 0
  sum = 0
  m1 = 0
  m5 = 0
  m15 = 0
  #ticked = 0
  #isFirstTick = true
  // Made with the first observation: most of ten thousand routes may never see a request.
  #current: Observations | null = null
  #previous: Observations | null = null

  observe(value: number): void {
    this.count++
    this.sum += value
    this.#current ??= new Observations()
    this.#current.record(value)
  }

  /** The observations of this and the previous stretch of time. */
  get recent(): readonly Observations[] {
    return [this.#previous, this.#current].filter((observations) => observations !== null)
  }

  /** Brings the rates up to date. */
  tick(): void {
    if (this.count === 0) return
    const rate = (this.count - this.#ticked) / TICK_SECONDS
    this.#ticked = this.count
    if (this.#isFirstTick) {
      this.#isFirstTick = false
      this.m1 = this.m5 = this.m15 = rate
      return
    }
    this.m1 += DECAY_1 * (rate - this.m1)
    this.m5 += DECAY_5 * (rate - this.m5)
    this.m15 += DECAY_15 * (rate - this.m15)
  }

  /** Begins a new stretch of time, and forgets the one before the last. */
  turn(): void {
    this.#previous = this.#current
    this.#current = null
  }
}
