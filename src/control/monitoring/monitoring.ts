import type { MetricSample } from '#contracts'
import type { Logger } from '#logging'
import { exposeThreadMetrics, type MetricsRegistry, ThreadAggregation, TICK_SECONDS } from '#metrics'
import { EVENTS } from '../log-events.ts'
import type { UnitLink } from '../units/unit-link.ts'

/** The units that are measured. */
interface MonitoredUnits {
  /** Those that serve. */
  readonly units: readonly UnitLink[]
  /** Replaced ones with requests. */
  readonly draining: readonly UnitLink[]
  /** Number of restarts. */
  readonly restartCount: number
  readonly recentEnds: { readonly count: number }
}

/** Milliseconds for the last report of a unit; a scrape waits for a shorter time. */
const LAST_REPORT_LIMIT = 10_000

/** Metrics of the whole gateway: of its units and of the control plane. */
export class Monitoring implements Disposable {
  /** Metrics of the control plane. */
  readonly registry: MetricsRegistry
  readonly #threads = new ThreadAggregation()
  readonly #units: MonitoredUnits
  /** Units that are asked now: two reports of a unit at a time would count its series twice. */
  readonly #asked = new Map<UnitLink, Promise<boolean>>()
  readonly #logger: Logger
  /** Units that did not answer the last collection; their previous values are exposed again. */
  readonly #late = new Set<UnitLink>()
  /** Units after their last report: a later one would lack the series of routes that are closed already. */
  readonly #closing = new Set<UnitLink>()
  readonly #measuring: Disposable
  readonly #ticking: NodeJS.Timeout
  #collecting: Promise<readonly MetricSample[]> | null = null

  constructor(registry: MetricsRegistry, units: MonitoredUnits, logger: Logger) {
    this.registry = registry
    this.#units = units
    this.#logger = logger
    this.#measuring = exposeThreadMetrics(this.registry.open(), 'control')
    this.#ticking = setInterval(() => this.registry.tick(), TICK_SECONDS * 1000).unref()
    this.#measureUnits()
  }

  /** Every series, over all units. Concurrent callers share one collection. */
  collect(): Promise<readonly MetricSample[]> {
    this.#collecting ??= this.#collect().finally(() => {
      this.#collecting = null
    })
    return this.#collecting
  }

  /** The last report of a unit that has finished all requests: what it has counted since the one before would be lost without it. */
  async collectLast(unit: UnitLink): Promise<void> {
    await this.#asked.get(unit)
    // The first may be that of a scrape, which waits for a shorter time.
    if (!(await this.#ask(unit, LAST_REPORT_LIMIT))) await this.#ask(unit, LAST_REPORT_LIMIT)
    this.#closing.add(unit)
  }

  /** A unit has ended; its totals are retained. */
  ended(unit: UnitLink): void {
    this.#threads.remove(unit)
    this.#late.delete(unit)
    this.#closing.delete(unit)
  }

  [Symbol.dispose](): void {
    clearInterval(this.#ticking)
    this.#measuring[Symbol.dispose]()
  }

  async #collect(): Promise<readonly MetricSample[]> {
    const units = [...this.#units.units, ...this.#units.draining]
    const serving = units.filter(({ state }) => state === 'ready')
    const asked = serving.filter((unit) => !this.#closing.has(unit))
    const answered = await Promise.all(asked.map((unit) => this.#ask(unit)))
    this.#threads.addReport(this, this.registry.report(this.#threads.lastHead(this), Number.POSITIVE_INFINITY))
    // Totals of an ended unit are retained until its replacement reports, which shows which series still exist.
    if (serving.length === units.length && !answered.includes(false)) this.#threads.dropUnused()
    return this.#threads.samples()
  }

  /** Whether the unit has reported everything. */
  #ask(unit: UnitLink, timeout?: number): Promise<boolean> {
    const asked = this.#asked.get(unit) ?? this.#report(unit, timeout).finally(() => this.#asked.delete(unit))
    this.#asked.set(unit, asked)
    return asked
  }

  /** Names and labels are sent in portions, so that no unit stalls. */
  async #report(unit: UnitLink, timeout?: number): Promise<boolean> {
    try {
      for (;;) {
        const after = this.#threads.lastHead(unit)
        const report = await unit.remote.collect({ after }, timeout === undefined ? {} : { timeout })
        // A unit that ended meanwhile is no longer in the list.
        if (unit.state === 'ended' || this.#closing.has(unit)) return false
        this.#threads.addReport(unit, report)
        if (report.values !== null) break
      }
      this.#late.delete(unit)
      return true
    } catch (error) {
      if (unit.state === 'ended') return false
      if (!this.#late.has(unit)) {
        this.#logger.warn({ problem: (error as Error).message }, EVENTS.METRICS_LATE)
      }
      this.#late.add(unit)
      return false
    }
  }

  #measureUnits(): void {
    const metrics = this.registry.open()
    const countOf = (state: UnitLink['state']) => this.#units.units.filter((unit) => unit.state === state).length
    metrics.reading('gw_units_configured', 'Units that should serve.', { read: () => this.#units.units.length })
    metrics.reading('gw_units_ready', 'Units that serve.', { read: () => countOf('ready') })
    metrics.reading('gw_units_unresponsive', 'Units that do not answer their heartbeat.', {
      read: () => countOf('unresponsive'),
    })
    const draining = 'Units of an earlier configuration that finish their requests.'
    metrics.reading('gw_units_leaving', draining, { read: () => this.#units.draining.length })
    metrics.countReading('gw_unit_restarts_total', 'Units that had to be started again.', {
      read: () => this.#units.restartCount,
    })
    metrics.reading('gw_unit_recent_ends', 'Units that ended by a fault within the last hour.', {
      read: () => this.#units.recentEnds.count,
    })
    metrics.reading('gw_units_silent', 'Units that do not report what they have measured.', {
      read: () => this.#late.size,
    })
  }
}
