import type { MetricReport, MetricSample, SeriesHead } from '#contracts'
import { readValues } from './report.ts'
import { seriesKey } from './series-table.ts'
import { StretchSum } from './stretches.ts'

/** What a thread has said so far. */
interface Account {
  /** By the thread's own ids. */
  readonly entries: Map<number, Entry>
  values: Float64Array
}

/** A series over all threads. */
interface Entry {
  readonly head: Omit<SeriesHead, 'id'>
  since: number
  /** How many threads have it. */
  threads: number
  /** What threads have counted that are no more. */
  keptSum: number
  keptCount: number
  /** Which sum the following belongs to. */
  round: number
  value: number
  /** Where the summaries of threads are. */
  places: { readonly values: Float64Array; readonly at: number }[] | null
}

/**
 * The numbers of all threads in one. What a thread has counted stays when it ends, so that totals never go back; what
 * it counted after it was last asked is lost with it.
 */
export class MetricLedger {
  readonly #accounts = new Map<object, Account>()
  readonly #entries = new Map<string, Entry>()
  readonly #stretches = new StretchSum()
  #round = 0

  /** Takes what a thread says; later reports of one thread replace earlier ones. */
  take(thread: object, { heads, values }: MetricReport): void {
    const account = this.#accounts.get(thread) ?? { entries: new Map(), values: new Float64Array(0) }
    this.#accounts.set(thread, account)
    for (const { id, ...head } of heads) {
      const entry = this.#entry(head)
      entry.threads++
      account.entries.set(id, entry)
    }
    if (values === null) return
    account.values = values
    forgetUnreported(account)
  }

  /** A thread has ended: its totals stay, everything else goes. */
  end(thread: object): void {
    const account = this.#accounts.get(thread)
    if (account === undefined) return
    this.#accounts.delete(thread)
    const { entries, values } = account
    for (const entry of entries.values()) entry.threads--
    readValues(values, {
      number: (id, value) => {
        const entry = entries.get(id) as Entry
        if (entry.head.type === 'counter') entry.keptSum += value
      },
      summary: (id, at) => {
        const entry = entries.get(id) as Entry
        entry.keptSum += values[at] as number
        entry.keptCount += values[at + 1] as number
      },
    })
  }

  /** Forgets totals of series that no thread has any more, such as those of routes that were removed. */
  forgetGone(): void {
    for (const [key, { threads }] of this.#entries) if (threads === 0) this.#entries.delete(key)
  }

  /** Every series that a thread has, or had when it ended. */
  samples(): MetricSample[] {
    const round = ++this.#round
    const found: Entry[] = []
    const begin = (entry: Entry): void => {
      if (entry.round === round) return
      entry.round = round
      entry.value = entry.head.merge === 'max' ? Number.NEGATIVE_INFINITY : entry.keptSum
      entry.places = entry.head.type === 'summary' ? [] : null
      found.push(entry)
    }
    for (const { entries, values } of this.#accounts.values()) {
      readValues(values, {
        number: (id, value) => {
          const entry = entries.get(id) as Entry
          begin(entry)
          entry.value = entry.head.merge === 'max' ? Math.max(entry.value, value) : entry.value + value
        },
        summary: (id, at) => {
          const entry = entries.get(id) as Entry
          begin(entry)
          entry.places?.push({ values, at })
        },
      })
    }
    for (const entry of this.#entries.values()) if (entry.keptSum > 0 || entry.keptCount > 0) begin(entry)
    return found.map((entry) => this.#sample(entry))
  }

  #sample({ head, since, value, places, keptCount }: Entry): MetricSample {
    const { name, help, type, labels, merge } = head
    if (places === null) {
      return merge === undefined
        ? { name, help, type, labels, since, value }
        : { name, help, type, labels, since, value, merge }
    }
    let [sum, count, m1, m5, m15] = [value, keptCount, 0, 0, 0]
    for (const { values, at } of places) {
      sum += values[at] as number
      count += values[at + 1] as number
      m1 += values[at + 2] as number
      m5 += values[at + 3] as number
      m15 += values[at + 4] as number
      this.#stretches.add(values, at + 6, values[at + 5] as number)
    }
    const recent = this.#stretches.take()
    return { name, help, type, labels, since, value: sum, count, recent, rates: { m1, m5, m15 } }
  }

  #entry(head: Omit<SeriesHead, 'id'>): Entry {
    const key = seriesKey(head.name, head.labels)
    const known = this.#entries.get(key)
    if (known !== undefined) {
      known.since = Math.min(known.since, head.since)
      return known
    }
    const entry: Entry = {
      head,
      since: head.since,
      threads: 0,
      keptSum: 0,
      keptCount: 0,
      round: 0,
      value: 0,
      places: null,
    }
    this.#entries.set(key, entry)
    return entry
  }
}

/** What a report leaves out, its thread has given up. */
function forgetUnreported({ entries, values }: Account): void {
  let reported = 0
  const count = () => {
    reported++
  }
  readValues(values, { number: count, summary: count })
  if (reported === entries.size) return
  const ids = new Set<number>()
  const note = (id: number): void => void ids.add(id)
  readValues(values, { number: note, summary: note })
  for (const [id, entry] of entries) {
    if (ids.has(id)) continue
    entry.threads--
    entries.delete(id)
  }
}
