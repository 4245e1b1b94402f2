import type { MetricSample } from '#contracts'
import type { Counter, Gauge, Metrics, Reading, Summary } from '#schema'

type Labels = Readonly<Record<string, string>>

interface Series {
  sample(): MetricSample
}

/** Upper bounds of the buckets of a summary: 16 to each doubling, from a microsecond to about an hour, in seconds. */
const STEPS_PER_DOUBLING = 16
const SMALLEST = 1e-6
const BUCKETS = 32 * STEPS_PER_DOUBLING

class CounterSeries implements Counter, Series {
  readonly #head: Omit<MetricSample, 'value'>
  #value = 0

  constructor(head: Omit<MetricSample, 'value'>) {
    this.#head = head
  }

  add(amount = 1): void {
    this.#value += amount
  }

  set(value: number): void {
    this.#value = value
  }

  sample(): MetricSample {
    return { ...this.#head, value: this.#value }
  }
}

class SummarySeries implements Summary, Series {
  readonly #head: Omit<MetricSample, 'value'>
  // Made with the first observation: most of ten thousand routes may never see a request.
  #counts: Uint32Array | null = null
  #sum = 0
  #count = 0

  constructor(head: Omit<MetricSample, 'value'>) {
    this.#head = head
  }

  observe(value: number): void {
    this.#sum += value
    this.#count++
    const at =
      value <= SMALLEST ? 0 : Math.min(BUCKETS - 1, Math.ceil(Math.log2(value / SMALLEST) * STEPS_PER_DOUBLING))
    this.#counts ??= new Uint32Array(BUCKETS)
    this.#counts[at] = (this.#counts[at] as number) + 1
  }

  sample(): MetricSample {
    const buckets: [number, number][] = []
    for (const [at, count] of this.#counts?.entries() ?? []) {
      if (count > 0) buckets.push([SMALLEST * 2 ** (at / STEPS_PER_DOUBLING), count])
    }
    return { ...this.#head, value: this.#sum, count: this.#count, buckets }
  }
}

class ReadingSeries implements Series {
  readonly #head: Omit<MetricSample, 'value'>
  readonly #reading: Reading

  constructor(head: Omit<MetricSample, 'value'>, reading: Reading) {
    this.#head = head
    this.#reading = reading
  }

  sample(): MetricSample {
    const { merge } = this.#reading
    return { ...this.#head, value: this.#reading.read(), ...(merge === undefined ? {} : { merge }) }
  }
}

/** The numbers of one unit. Each holder of metrics owns its series and gives them back when it is retired. */
export class MetricsRegistry {
  readonly #holders = new Map<Holder, true>()

  /** Metrics for one holder; `release` takes its series out again. */
  open(): Holder {
    const holder = new Holder(() => this.#holders.delete(holder))
    this.#holders.set(holder, true)
    return holder
  }

  /** Every series of every holder. */
  collect(): MetricSample[] {
    return [...this.#holders.keys()].flatMap((holder) => holder.samples())
  }
}

/** The series of one object or route. */
export class Holder implements Metrics {
  readonly #series = new Map<string, Series>()
  readonly release: () => void

  constructor(release: () => void) {
    this.release = release
  }

  counter(name: string, help: string, labels: Labels = {}): Counter {
    return this.#one(name, labels, () => new CounterSeries({ name, help, labels, type: 'counter' })) as CounterSeries
  }

  gauge(name: string, help: string, labels: Labels = {}): Gauge {
    return this.#one(name, labels, () => new CounterSeries({ name, help, labels, type: 'gauge' })) as CounterSeries
  }

  summary(name: string, help: string, labels: Labels = {}): Summary {
    return this.#one(name, labels, () => new SummarySeries({ name, help, labels, type: 'summary' })) as SummarySeries
  }

  reading(name: string, help: string, reading: Reading): void {
    const { labels = {} } = reading
    this.#one(name, labels, () => new ReadingSeries({ name, help, labels, type: 'gauge' }, reading))
  }

  samples(): MetricSample[] {
    return [...this.#series.values()].map((series) => series.sample())
  }

  #one(name: string, labels: Labels, make: () => Series): Series {
    const key = `${name}${JSON.stringify(labels)}`
    const known = this.#series.get(key) ?? make()
    this.#series.set(key, known)
    return known
  }
}
