import type { MetricReport, MetricSample } from '#contracts'
import type { Counter, Gauge, Metrics, Reading, Summary } from '#schema'
import { MetricLedger } from './ledger.ts'
import { checkNames } from './names.ts'
import { metricReport } from './report.ts'
import { CounterSeries, GaugePart, ReadPart, SummarySeries, TICK_SECONDS } from './series.ts'
import { type Part, type Series, seriesKey } from './series-table.ts'

type Labels = Readonly<Record<string, string>>

/** Quantiles are those of this and the previous stretch of so many ticks: of the last five to ten minutes. */
const TICKS_PER_STRETCH = 300 / TICK_SECONDS

/** The numbers of one thread. Each holder owns its part of them, and gives it back when it is retired. */
export class MetricsRegistry {
  readonly #series = new Map<string, Series>()
  /** The series as a list; null where it has to be made anew. */
  #list: readonly Series[] | null = null
  readonly #summaries = new Set<SummarySeries>()
  readonly #types = new Map<string, { type: MetricSample['type']; users: number }>()
  #ids = 0
  #ticks = 0

  /** Metrics for one holder; `release` takes its part out again. */
  open(): Holder {
    return new Holder((name, type, help, labels, part) => this.#join(name, type, help, labels, part))
  }

  /** Every series, with all its holders in one. */
  collect(): MetricSample[] {
    const ledger = new MetricLedger()
    ledger.take(this, metricReport([...this.#series.values()], 0, Number.POSITIVE_INFINITY))
    return ledger.samples()
  }

  /** What another thread needs to know that knows all heads up to an id. */
  report(after: number, headsAtOnce?: number): MetricReport {
    this.#list ??= [...this.#series.values()]
    return metricReport(this.#list, after, headsAtOnce)
  }

  /** To be called every five seconds: rates and quantiles are about the last minutes. */
  tick(): void {
    const turns = ++this.#ticks % TICKS_PER_STRETCH === 0
    for (const summary of this.#summaries) {
      summary.tick()
      if (turns) summary.turn()
    }
  }

  #join(name: string, type: MetricSample['type'], help: string, labels: Labels, part: JoiningPart): Joined {
    const key = seriesKey(name, labels)
    const series = this.#series.get(key) ?? this.#begin(key, { name, type, help, labels }, part)
    if (series.type !== type) throw new Error(`the metric ${name} is a ${series.type} already, it can not be a ${type}`)
    series.users++
    if (part.part !== null) series.parts.add(part.part)
    const leave = () => {
      if (part.part !== null) series.parts.delete(part.part)
      if (--series.users === 0) this.#end(key, series)
    }
    return { total: series.total, leave }
  }

  #begin(key: string, head: Pick<Series, 'name' | 'type' | 'help' | 'labels'>, { merge }: JoiningPart): Series {
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
      parts: new Set(),
      users: 0,
    }
    this.#series.set(key, series)
    this.#list = null
    if (series.total instanceof SummarySeries) this.#summaries.add(series.total)
    return series
  }

  #end(key: string, { name, total }: Series): void {
    this.#series.delete(key)
    this.#list = null
    if (total instanceof SummarySeries) this.#summaries.delete(total)
    const known = this.#types.get(name)
    if (known !== undefined && --known.users === 0) this.#types.delete(name)
  }
}

interface JoiningPart {
  readonly part: Part | null
  readonly merge?: 'max' | undefined
}

interface Joined {
  readonly total: Series['total']
  leave(): void
}

type Join = (name: string, type: MetricSample['type'], help: string, labels: Labels, part: JoiningPart) => Joined

/** What one object or route measures. */
export class Holder implements Metrics {
  readonly #join: Join
  readonly #mine = new Map<string, { readonly measure: unknown; leave(): void }>()

  constructor(join: Join) {
    this.#join = join
  }

  counter(name: string, help: string, labels: Labels = {}): Counter {
    return this.#one(name, labels, () => this.#shared(name, 'counter', help, labels)) as CounterSeries
  }

  summary(name: string, help: string, labels: Labels = {}): Summary {
    return this.#one(name, labels, () => this.#shared(name, 'summary', help, labels)) as SummarySeries
  }

  gauge(name: string, help: string, labels: Labels = {}): Gauge {
    return this.#one(name, labels, () => this.#own(name, 'gauge', help, labels, new GaugePart())) as GaugePart
  }

  reading(name: string, help: string, reading: Reading): void {
    const { labels = {} } = reading
    this.#one(name, labels, () => this.#own(name, 'gauge', help, labels, new ReadPart(reading), reading.merge))
  }

  /** A counter of what is counted elsewhere: it is read when the numbers are collected. */
  countReading(name: string, help: string, reading: Omit<Reading, 'merge'>): void {
    const { labels = {} } = reading
    this.#one(name, labels, () => this.#own(name, 'counter', help, labels, new ReadPart(reading)))
  }

  /** Takes what this holder measures out of the numbers; totals stay while somebody else goes on with them. */
  release(): void {
    for (const { leave } of this.#mine.values()) leave()
    this.#mine.clear()
  }

  #shared(name: string, type: 'counter' | 'summary', help: string, labels: Labels) {
    const { total, leave } = this.#join(name, type, help, labels, { part: null })
    return { measure: total, leave }
  }

  #own(name: string, type: 'counter' | 'gauge', help: string, labels: Labels, part: Part, merge?: 'max') {
    return { measure: part, leave: this.#join(name, type, help, labels, { part, merge }).leave }
  }

  #one(name: string, labels: Labels, make: () => { measure: unknown; leave(): void }): unknown {
    const key = seriesKey(name, labels)
    const known = this.#mine.get(key) ?? make()
    this.#mine.set(key, known)
    return known.measure
  }
}

function totalOf(type: MetricSample['type']): Series['total'] {
  if (type === 'summary') return new SummarySeries()
  return type === 'counter' ? new CounterSeries() : null
}
