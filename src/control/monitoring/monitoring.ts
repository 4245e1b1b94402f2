import { setTimeout as wait } from 'node:timers/promises'
import type { MetricSample } from '#contracts'
import { MetricLedger, MetricsRegistry, measureThread, TICK_SECONDS } from '#metrics'
import type { UnitLink } from '../unit-link.ts'

/** How long a unit may be silent while it is asked; of one that takes longer, what it said before is told once more. */
const SILENCE_LIMIT = 2000

/** What is going on with a unit that was asked for its numbers. */
interface Conversation {
  /** How often it has answered so far; names and labels come in portions. */
  reports: number
  over: Promise<true>
}

/** The numbers of the whole gateway: of its units, and of the control plane itself. */
export class Monitoring implements Disposable {
  /** Where the control plane counts what it does. */
  readonly registry = new MetricsRegistry()
  readonly #ledger = new MetricLedger()
  readonly #units: () => readonly UnitLink[]
  /** Units that have been asked and have not answered yet. */
  readonly #asked = new Map<UnitLink, Conversation>()
  readonly #measuring: Disposable
  readonly #ticking: NodeJS.Timeout
  #asks = 0
  #collecting: Promise<readonly MetricSample[]> | null = null

  constructor(units: () => readonly UnitLink[]) {
    this.#units = units
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
    const answered = await Promise.all(serving.map((unit) => this.#ask(unit)))
    this.#ledger.take(this, wholeReport(this.registry))
    // Totals wait for the successor of a unit that has ended; only then is it known which of them are still wanted.
    if (serving.length === units.length && !answered.includes(false)) this.#ledger.forgetGone()
    return this.#ledger.samples()
  }

  /** Whether the unit has said everything: false when it fell silent. */
  async #ask(unit: UnitLink): Promise<boolean> {
    const conversation = this.#asked.get(unit) ?? this.#converse(unit)
    for (;;) {
      const { reports } = conversation
      const patience = new AbortController()
      const silence = wait(SILENCE_LIMIT, false, { signal: patience.signal, ref: false }).catch(() => false)
      const isOver = await Promise.race([conversation.over, silence])
      patience.abort()
      if (isOver || conversation.reports === reports) return isOver
    }
  }

  #converse(unit: UnitLink): Conversation {
    const conversation: Conversation = { reports: 0, over: Promise.resolve(true as const) }
    conversation.over = this.#take(unit, conversation)
    this.#asked.set(unit, conversation)
    return conversation
  }

  /** Also an answer that nobody waits for any more is taken: names and labels are told only once. */
  async #take(unit: UnitLink, conversation: Conversation): Promise<true> {
    for (;;) {
      const report = await unit.collect(++this.#asks)
      conversation.reports++
      if (report !== null) this.#ledger.take(unit, report)
      if (report !== null && report.values === null) continue
      this.#asked.delete(unit)
      return true
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
