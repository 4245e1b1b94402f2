import { setTimeout as wait } from 'node:timers/promises'
import type { MetricSample } from '#contracts'
import { MetricLedger, MetricsRegistry, measureThread, TICK_SECONDS } from '#metrics'
import type { UnitLink } from '../unit-link.ts'

/** How long a unit may take to answer; of one that takes longer, what it said before is told once more. */
const ANSWER_LIMIT = 2000

/** The numbers of the whole gateway: of its units, and of the control plane itself. */
export class Monitoring implements Disposable {
  /** Where the control plane counts what it does. */
  readonly registry = new MetricsRegistry()
  readonly #ledger = new MetricLedger()
  readonly #units: () => readonly UnitLink[]
  readonly #answerLimit: number
  /** Units that have been asked and have not answered yet. */
  readonly #asked = new Map<UnitLink, Promise<void>>()
  readonly #measuring: Disposable
  readonly #ticking: NodeJS.Timeout
  #asks = 0
  #collecting: Promise<readonly MetricSample[]> | null = null

  constructor(units: () => readonly UnitLink[], answerLimit = ANSWER_LIMIT) {
    this.#units = units
    this.#answerLimit = answerLimit
    this.#measuring = measureThread(this.registry.open(), 'control')
    this.#ticking = setInterval(() => this.registry.tick(), TICK_SECONDS * 1000).unref()
    this.#measureUnits()
  }

  /** Every series, over all units. Whoever asks while others wait for an answer gets the same one. */
  collect(): Promise<readonly MetricSample[]> {
    this.#collecting ??= this.#collect().finally(() => {
      this.#collecting = null
    })
    return this.#collecting
  }

  /** A unit has ended; what it has counted so far stays. */
  ended(unit: UnitLink): void {
    this.#ledger.end(unit)
    this.#asked.delete(unit)
  }

  [Symbol.dispose](): void {
    clearInterval(this.#ticking)
    this.#measuring[Symbol.dispose]()
  }

  async #collect(): Promise<readonly MetricSample[]> {
    const units = this.#units()
    const serving = units.filter(({ state }) => state === 'ready')
    const patience = new AbortController()
    const late = wait(this.#answerLimit, 'late' as const, { signal: patience.signal, ref: false }).catch(() => 'late')
    const answers = serving.map((unit) => Promise.race([this.#ask(unit), late]))
    const all = await Promise.all(answers)
    patience.abort()
    this.#ledger.take(this, wholeReport(this.registry))
    // Totals wait for the successor of a unit that has ended; only then is it known which of them are still wanted.
    if (serving.length === units.length && !all.includes('late')) this.#ledger.forgetGone()
    return this.#ledger.samples()
  }

  #ask(unit: UnitLink): Promise<void> {
    const asked = this.#asked.get(unit) ?? this.#take(unit).finally(() => this.#asked.delete(unit))
    this.#asked.set(unit, asked)
    return asked
  }

  /** Also an answer that nobody waits for any more is taken: names and labels are told only once. */
  async #take(unit: UnitLink): Promise<void> {
    for (;;) {
      const report = await unit.collect(++this.#asks)
      if (report === null) return
      this.#ledger.take(unit, report)
      if (report.values !== null) return
    }
  }

  #measureUnits(): void {
    const metrics = this.registry.open()
    metrics.reading('gw_units_configured', 'Units that should serve.', { read: () => this.#units().length })
    metrics.reading('gw_units_ready', 'Units that serve.', {
      read: () => this.#units().filter(({ state }) => state === 'ready').length,
    })
    metrics.reading('gw_units_silent', 'Units that do not say what they have measured.', {
      read: () => this.#asked.size,
    })
  }
}

/** There is no other thread to keep waiting: heads are taken all at once. */
function wholeReport(registry: MetricsRegistry): ReturnType<MetricsRegistry['report']> {
  const heads = []
  for (;;) {
    const report = registry.report()
    heads.push(...report.heads)
    if (report.values !== null) return { heads, values: report.values }
  }
}
