import type { Counter, Gauge, Reading, Summary } from '#schema'
import { Histogram } from './histogram.ts'

/** Seconds between two ticks of the rates. */
export const TICK_SECONDS = 5

const DECAY_1 = 1 - Math.exp(-TICK_SECONDS / 60)
const DECAY_5 = 1 - Math.exp(-TICK_SECONDS / 300)
const DECAY_15 = 1 - Math.exp(-TICK_SECONDS / 900)

/** A counter shared by all versions of an object: its total survives reloads. */
export class CounterSeries implements Counter {
  value = 0

  add(amount = 1): void {
    this.value += amount
  }
}

/** The value that one scope adds to a gauge until it is released. */
export class GaugeContribution implements Gauge {
  value = 0

  set(value: number): void {
    this.value = value
  }

  add(amount: number): void {
    this.value += amount
  }
}

/** A value of one scope that is read at each scrape. */
export class ObservedContribution {
  readonly #reading: Reading

  constructor(reading: Reading) {
    this.#reading = reading
  }

  get value(): number {
    return this.#reading.read()
  }
}

/** Sum and count of all observations, histograms of the last two windows, and exponentially weighted rates. */
export class SummarySeries implements Summary {
  count = 0
  sum = 0
  m1 = 0
  m5 = 0
  m15 = 0
  #ticked = 0
  #isFirstTick = true
  // Created on the first observation: most of 10,000 routes may never get a request.
  #current: Histogram | null = null
  #previous: Histogram | null = null

  observe(value: number): void {
    this.count++
    this.sum += value
    this.#current ??= new Histogram()
    this.#current.record(value)
  }

  /** Histograms of the previous and the current window. */
  get recent(): readonly Histogram[] {
    return [this.#previous, this.#current].filter((histogram) => histogram !== null)
  }

  /** Updates the rates. */
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

  /** Starts a new window; only the previous one is retained. */
  rotate(): void {
    this.#previous = this.#current
    this.#current = null
  }
}
