import type { MetricReport, MetricSample, RecentObservations, SeriesHead } from '#contracts'
import { readValues, type SummaryValue, together } from './report.ts'
import { seriesKey } from './series-table.ts'

/** What a thread has said so far. */
interface Account {
  /** By the thread's own ids. */
  readonly entries: Map<number, Entry>
  values: Float64Array
}

/** A series over all threads. */
interface Entry {
  readonly key: string
  readonly head: Omit<SeriesHead, 'id'>
  /** What threads have counted that are no more, or not yet again. */
  kept: { sum: number; count: number }
  since: number
}

/** Values of one series while they are put together. */
interface Sum {
  value: number
  count: number
  m1: number
  m5: number
  m15: number
  readonly recent: RecentObservations[]
}

/**
 * The numbers of all threads in one. What a thread has counted stays when it ends, so that totals never go back; what
 * it counted after it was last asked is lost with it.
 */
export class MetricLedger {
  readonly #accounts = new Map<object, Account>()
  readonly #entries = new Map<string, Entry>()

  /** Takes what a thread says; later reports of one thread replace earlier ones. */
  take(thread: object, { heads, values }: MetricReport): void {
    const account = this.#accounts.get(thread) ?? { entries: new Map(), values: new Float64Array(0) }
    this.#accounts.set(thread, account)
    for (const { id, ...head } of heads) account.entries.set(id, this.#entry(head))
    if (values === null) return
    account.values = values
    const reported = new Set<number>()
    const note = (id: number): void => void reported.add(id)
    readValues(values, typeIn(account), { number: note, summary: note })
    for (const id of account.entries.keys()) if (!reported.has(id)) account.entries.delete(id)
  }

  /** A thread has ended: its totals stay, everything else goes. */
  end(thread: object): void {
    const account = this.#accounts.get(thread)
    if (account === undefined) return
    this.#accounts.delete(thread)
    readValues(account.values, typeIn(account), {
      number: (id, value) => {
        const { head, kept } = account.entries.get(id) as Entry
        if (head.type === 'counter') kept.sum += value
      },
      summary: (id, { sum, count }) => {
        const { kept } = account.entries.get(id) as Entry
        kept.sum += sum
        kept.count += count
      },
    })
  }

  /** Forgets totals of series that no thread has any more, such as those of routes that were removed. */
  forgetGone(): void {
    const living = new Set<Entry>()
    for (const { entries } of this.#accounts.values()) for (const entry of entries.values()) living.add(entry)
    for (const [key, entry] of this.#entries) if (!living.has(entry)) this.#entries.delete(key)
  }

  /** Every series that a thread has, or had when it ended. */
  samples(): MetricSample[] {
    const sums = new Map<Entry, Sum>()
    for (const entry of this.#entries.values()) {
      const { sum: value, count } = entry.kept
      if (value !== 0 || count !== 0) sums.set(entry, emptySum(value, count))
    }
    for (const account of this.#accounts.values()) {
      readValues(account.values, typeIn(account), {
        number: (id, value) => addNumber(sums, account.entries.get(id) as Entry, value),
        summary: (id, value) => addSummary(sums, account.entries.get(id) as Entry, value),
      })
    }
    return [...sums].map(([entry, sum]) => sampleOf(entry, sum))
  }

  #entry(head: Omit<SeriesHead, 'id'>): Entry {
    const key = seriesKey(head.name, head.labels)
    const known = this.#entries.get(key)
    if (known !== undefined) {
      known.since = Math.min(known.since, head.since)
      return known
    }
    const entry: Entry = { key, head, kept: { sum: 0, count: 0 }, since: head.since }
    this.#entries.set(key, entry)
    return entry
  }
}

function typeIn(account: Account): (id: number) => MetricSample['type'] {
  return (id) => (account.entries.get(id) as Entry).head.type
}

function emptySum(value = 0, count = 0): Sum {
  return { value, count, m1: 0, m5: 0, m15: 0, recent: [] }
}

function addNumber(sums: Map<Entry, Sum>, entry: Entry, value: number): void {
  const sum = sums.get(entry)
  if (sum === undefined) sums.set(entry, emptySum(value))
  else sum.value = entry.head.merge === 'max' ? Math.max(sum.value, value) : sum.value + value
}

function addSummary(sums: Map<Entry, Sum>, entry: Entry, value: SummaryValue): void {
  const sum = sums.get(entry) ?? emptySum()
  sums.set(entry, sum)
  sum.value += value.sum
  sum.count += value.count
  sum.m1 += value.m1
  sum.m5 += value.m5
  sum.m15 += value.m15
  sum.recent.push(...value.recent)
}

function sampleOf({ head, since }: Entry, { value, count, m1, m5, m15, recent }: Sum): MetricSample {
  const sample = { ...head, since, value }
  return head.type === 'summary' ? { ...sample, count, recent: together(recent), rates: { m1, m5, m15 } } : sample
}
