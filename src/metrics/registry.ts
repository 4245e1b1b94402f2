import type { MetricReport, MetricSample } from '#contracts'
import type { Counter, Gauge, Metrics, Reading, Summary } from '#schema'
import { DurationHistogram } from './duration-histogram.ts'
import { checkNames } from './names.ts'
import { metricReport } from './report.ts'
import { CounterSeries, GaugeContribution, ObservedContribution, SummarySeries, TICK_SECONDS } from './series.ts'
import { type Contribution, type Series, seriesKey } from './series-key.ts'
import { ThreadAggregation } from './thread-aggregation.ts'

type Labels = Readonly<Record<string, string>>

/** Quantiles cover the current and the previous window of 5 minutes: the last 5 to 10 minutes. */
const TICKS_PER_WINDOW = 300 / TICK_SECONDS

/** The metrics of one thread. Each object or route has a scope; releasing it removes its contributions. */
export class MetricsRegistry {
  readonly #series = new Map<string, Series>()
  /** The series in order of their ids; null after a change. */
  #list: readonly Series[] | null = null
  readonly #summaries = new Set<SummarySeries>()
  readonly #types = new Map<string, { type: MetricSample['type']; users: number }>()
  #ids = 0
  #ticks = 0

  /** Opens a scope; its `release` removes its contributions. */
  open(): MetricsScope {
    return new MetricsScope((name, type, help, labels, part) => this.#join(name, type, help, labels, part))
  }

  /** Every series, merged over all scopes. */
  collect(): MetricSample[] {
    const threads = new ThreadAggregation()
    threads.addReport(this, metricReport([...this.#series.values()], 0, Number.POSITIVE_INFINITY))
    return threads.samples()
  }

  /** Report for a receiver that has the heads of all series up to the id `after`. */
  report(after: number, headsAtOnce?: number): MetricReport {
    this.#list ??= [...this.#series.values()]
    return metricReport(this.#list, after, headsAtOnce)
  }

  /** Called every TICK_SECONDS: updates rates and rotates the windows of quantiles. */
  tick(): void {
    const rotates = ++this.#ticks % TICKS_PER_WINDOW === 0
    for (const summary of this.#summaries) {
      summary.tick()
      if (rotates) summary.rotate()
    }
  }

  #join(name: string, type: MetricSample['type'], help: string, labels: Labels, joining: Joining): Joined {
    const key = seriesKey(name, labels)
    const series = this.#series.get(key) ?? this.#addSeries(key, { name, type, help, labels }, joining)
    if (series.type !== type) throw new Error(`the metric ${name} is a ${series.type} already, it can not be a ${type}`)
    series.users++
    if (joining.contribution !== null) series.contributions.add(joining.contribution)
    const leave = () => {
      if (joining.contribution !== null) series.contributions.delete(joining.contribution)
      if (--series.users === 0) this.#removeSeries(key, series)
    }
    return { total: series.total, leave }
  }

  #addSeries(key: string, head: Pick<Series, 'name' | 'type' | 'help' | 'labels'>, { merge }: Joining): Series {
    checkNames(head.name, head.labels)
    const known = this.#types.get(head.name)
    if (known !== undefined && known.type !== head.type) {
      throw new Error(`the metric ${head.name} is a ${known.type} already, it can not be a ${head.type}`)
    }
    this.#types.set(head.name, { type: head.type, users: (known?.users ?? 0) + 1 })
    const series: Series = {
      ...head,
      id: ++this.#ids,
      since: Date.now(),
      ...(merge === undefined ? {} : { merge }),
      total: totalOf(head.type),
      contributions: new Set(),
      users: 0,
    }
    this.#series.set(key, series)
    this.#list = null
    if (series.total instanceof SummarySeries) this.#summaries.add(series.total)
    return series
  }

  #removeSeries(key: string, { name, total }: Series): void {
    this.#series.delete(key)
    this.#list = null
    if (total instanceof SummarySeries) this.#summaries.delete(total)
    const known = this.#types.get(name)
    if (known !== undefined && --known.users === 0) this.#types.delete(name)
  }
}

interface Joining {
  readonly contribution: Contribution | null
  readonly merge?: 'max' | undefined
}

interface Joined {
  readonly total: Series['total']
  leave(): void
}

type Join = (name: string, type: MetricSample['type'], help: string, labels: Labels, joining: Joining) => Joined

/** The metrics of one object or route. */
export class MetricsScope implements Metrics {
  readonly #join: Join
  readonly #measures = new Map<string, { readonly measure: unknown; leave(): void }>()

  constructor(join: Join) {
    this.#join = join
  }

  counter(name: string, help: string, labels: Labels = {}): Counter {
    return this.#getOrJoin(name, labels, () => this.#shared(name, 'counter', help, labels)) as CounterSeries
  }

  summary(name: string, help: string, labels: Labels = {}): Summary {
    return this.#getOrJoin(name, labels, () => this.#shared(name, 'summary', help, labels)) as SummarySeries
  }

  /** Durations in seconds, as buckets with fixed bounds. */
  histogram(name: string, help: string, labels: Labels = {}): DurationHistogram {
    return this.#getOrJoin(name, labels, () => this.#shared(name, 'histogram', help, labels)) as DurationHistogram
  }

  gauge(name: string, help: string, labels: Labels = {}): Gauge {
    return this.#getOrJoin(name, labels, () =>
      this.#own(name, 'gauge', help, labels, new GaugeContribution()),
    ) as GaugeContribution
  }

  reading(name: string, help: string, reading: Reading): void {
    const { labels = {} } = reading
    this.#getOrJoin(name, labels, () =>
      this.#own(name, 'gauge', help, labels, new ObservedContribution(reading), reading.merge),
    )
  }

  /** A counter whose value is read at each scrape. */
  countReading(name: string, help: string, reading: Omit<Reading, 'merge'>): void {
    const { labels = {} } = reading
    this.#getOrJoin(name, labels, () => this.#own(name, 'counter', help, labels, new ObservedContribution(reading)))
  }

  /** Removes the contributions of this scope; shared totals remain while another scope uses them. */
  release(): void {
    for (const { leave } of this.#measures.values()) leave()
    this.#measures.clear()
  }

  #shared(name: string, type: 'counter' | 'summary' | 'histogram', help: string, labels: Labels) {
    const { total, leave } = this.#join(name, type, help, labels, { contribution: null })
    return { measure: total, leave }
  }

  #own(
    name: string,
    type: 'counter' | 'gauge',
    help: string,
    labels: Labels,
    contribution: Contribution,
    merge?: 'max',
  ) {
    return { measure: contribution, leave: this.#join(name, type, help, labels, { contribution, merge }).leave }
  }

  #getOrJoin(name: string, labels: Labels, make: () => { measure: unknown; leave(): void }): unknown {
    const key = seriesKey(name, labels)
    const known = this.#measures.get(key) ?? make()
    this.#measures.set(key, known)
    return known.measure
  }
}

function totalOf(type: MetricSample['type']): Series['total'] {
  if (type === 'summary') return new SummarySeries()
  if (type === 'histogram') return new DurationHistogram()
  return type === 'counter' ? new CounterSeries() : null
}
