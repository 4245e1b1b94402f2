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
    return new MetricsScope((key, head, joining) => this.#join(key, head, joining))
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

  #join(key: string, head: Head, joining: Joining): Joined {
    const series = this.#series.get(key) ?? this.#addSeries(key, head, joining)
    if (series.type !== head.type) throw conflict(head, series.type)
    series.users++
    if (joining.contribution !== null) series.contributions.push(joining.contribution)
    const leave = () => {
      if (joining.contribution !== null)
        series.contributions.splice(series.contributions.indexOf(joining.contribution), 1)
      if (--series.users === 0) this.#removeSeries(key, series)
    }
    return { total: series.total, leave }
  }

  #addSeries(key: string, head: Head, { merge }: Joining): Series {
    checkNames(head.name, head.labels)
    const known = this.#types.get(head.name)
    if (known === undefined) this.#types.set(head.name, { type: head.type, users: 1 })
    else if (known.type === head.type) known.users++
    else throw conflict(head, known.type)
    const series: Series = {
      ...head,
      id: ++this.#ids,
      since: Date.now(),
      ...(merge === undefined ? {} : { merge }),
      total: totalOf(head.type),
      contributions: [],
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

type Head = Pick<Series, 'name' | 'type' | 'help' | 'labels'>

type Join = (key: string, head: Head, joining: Joining) => Joined

/** What a scope has joined: a total that it shares, or its own contribution. */
interface Measure {
  readonly measure: unknown
  leave(): void
}

/** The metrics of one object or route. */
export class MetricsScope implements Metrics {
  readonly #join: Join
  readonly #measures = new Map<string, Measure>()

  constructor(join: Join) {
    this.#join = join
  }

  counter(name: string, help: string, labels: Labels = {}): Counter {
    return this.#shared({ name, type: 'counter', help, labels }) as CounterSeries
  }

  summary(name: string, help: string, labels: Labels = {}): Summary {
    return this.#shared({ name, type: 'summary', help, labels }) as SummarySeries
  }

  /** Durations in seconds, as buckets with fixed bounds. */
  histogram(name: string, help: string, labels: Labels = {}): DurationHistogram {
    return this.#shared({ name, type: 'histogram', help, labels }) as DurationHistogram
  }

  gauge(name: string, help: string, labels: Labels = {}): Gauge {
    const head = { name, type: 'gauge', help, labels } as const
    return this.#own(head, () => new GaugeContribution()) as GaugeContribution
  }

  reading(name: string, help: string, reading: Reading): void {
    const { labels = {}, merge } = reading
    this.#own({ name, type: 'gauge', help, labels }, () => new ObservedContribution(reading), merge)
  }

  /** A counter whose value is read at each scrape. */
  countReading(name: string, help: string, reading: Omit<Reading, 'merge'>): void {
    const { labels = {} } = reading
    this.#own({ name, type: 'counter', help, labels }, () => new ObservedContribution(reading))
  }

  /** Removes the contributions of this scope; shared totals remain while another scope uses them. */
  release(): void {
    for (const { leave } of this.#measures.values()) leave()
    this.#measures.clear()
  }

  #shared(head: Head): unknown {
    const key = seriesKey(head.name, head.labels)
    const known = this.#measures.get(key)
    if (known !== undefined) return known.measure
    const { total: measure, leave } = this.#join(key, head, NO_CONTRIBUTION)
    this.#measures.set(key, { measure, leave })
    return measure
  }

  #own(head: Head, make: () => Contribution, merge?: 'max'): unknown {
    const key = seriesKey(head.name, head.labels)
    const known = this.#measures.get(key)
    if (known !== undefined) return known.measure
    const contribution = make()
    this.#measures.set(key, { measure: contribution, leave: this.#join(key, head, { contribution, merge }).leave })
    return contribution
  }
}

const NO_CONTRIBUTION: Joining = { contribution: null }

function conflict({ name, type }: Head, known: MetricSample['type']): Error {
  return new Error(`the metric ${name} is a ${known} already, it can not be a ${type}`)
}

function totalOf(type: MetricSample['type']): Series['total'] {
  if (type === 'summary') return new SummarySeries()
  if (type === 'histogram') return new DurationHistogram()
  return type === 'counter' ? new CounterSeries() : null
}
