import type { MetricReport, MetricSample, SeriesHead } from '#contracts'
import { type Head, NumberSample, type SummaryPlace, SummarySample } from './ledger-sample.ts'
import { readValues } from './report.ts'
import { seriesKey } from './series-table.ts'

/** What a thread has said so far. */
interface Account {
  /** By the thread's own ids. */
  readonly entries: Map<number, Entry>
  /** The largest id it has told of. */
  lastHead: number
  values: Float64Array
  /** Ids in the order of the values, and their entries: mostly the same from one report to the next. */
  ids: readonly number[]
  order: readonly Entry[]
  /** Their numbers among those that are told; negative, and one less, where the largest value counts. */
  places: Int32Array
}

/** A series over all threads. */
interface Entry {
  readonly head: Head
  since: number
  /** How many threads have it. */
  threads: number
  /** What threads have counted that are no more. */
  keptSum: number
  keptCount: number
  /** Its number among those that are told; -1 for none. */
  at: number
}

/**
 * The numbers of all threads in one. What a thread has counted stays when it ends, so that totals never go back; what
 * it counted after it was last asked is lost with it.
 */
export class MetricLedger {
  readonly #accounts = new Map<object, Account>()
  readonly #entries = new Map<string, Entry>()
  /** The series that are told; null where that has to be found out anew. */
  #told: readonly Entry[] | null = null
  /** Whether there may be series that no thread has any more. */
  #hasGone = false

  /** Takes what a thread says; later reports of one thread replace earlier ones. */
  take(thread: object, { heads, values }: MetricReport): void {
    const account = this.#accounts.get(thread) ?? {
      entries: new Map(),
      lastHead: 0,
      values: new Float64Array(0),
      ids: [],
      order: [],
      places: new Int32Array(0),
    }
    this.#accounts.set(thread, account)
    for (const { id, ...head } of heads) {
      const entry = this.#entry(head)
      entry.threads++
      account.entries.set(id, entry)
      account.lastHead = id
    }
    if (values === null) return
    account.values = values
    if (heads.length === 0 && hasIds(values, account.ids)) return
    arrange(account)
    this.#told = null
    this.#hasGone = true
  }

  /** The id up to which the heads of a thread are known. */
  lastHead(thread: object): number {
    return this.#accounts.get(thread)?.lastHead ?? 0
  }

  /** A thread has ended: its totals stay, everything else goes. */
  end(thread: object): void {
    const account = this.#accounts.get(thread)
    if (account === undefined) return
    this.#accounts.delete(thread)
    this.#told = null
    this.#hasGone = true
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
    if (!this.#hasGone) return
    this.#hasGone = false
    this.#told = null
    for (const [key, { threads }] of this.#entries) if (threads === 0) this.#entries.delete(key)
  }

  /** Every series that a thread has, or had when it ended. */
  samples(): MetricSample[] {
    this.#told ??= this.#toTell()
    const told = this.#told
    const sums = new Float64Array(told.length)
    const places = new Array<SummaryPlace[] | null>(told.length).fill(null)
    for (let at = 0; at < told.length; at++) {
      const { head, keptSum } = told[at] as Entry
      sums[at] = head.merge === 'max' ? Number.NEGATIVE_INFINITY : keptSum
      if (head.type === 'summary') places[at] = []
    }
    for (const account of this.#accounts.values()) addUp(account, sums, places)
    return told.map(({ head, since, keptSum, keptCount }, at) => {
      const found = places[at] ?? null
      if (found === null) return new NumberSample(head, since, sums[at] as number)
      return new SummarySample(head, since, { sum: keptSum, count: keptCount }, found)
    })
  }

  #toTell(): Entry[] {
    const told: Entry[] = []
    const tell = (entry: Entry): void => {
      if (entry.at >= 0) return
      entry.at = told.length
      told.push(entry)
    }
    for (const entry of this.#entries.values()) entry.at = -1
    for (const { order } of this.#accounts.values()) for (const entry of order) tell(entry)
    for (const entry of this.#entries.values()) if (entry.keptSum > 0 || entry.keptCount > 0) tell(entry)
    for (const account of this.#accounts.values()) account.places = Int32Array.from(account.order, placeOf)
    return told
  }

  #entry(head: Omit<SeriesHead, 'id'>): Entry {
    const key = seriesKey(head.name, head.labels)
    const known = this.#entries.get(key)
    if (known !== undefined) {
      known.since = Math.min(known.since, head.since)
      return known
    }
    const entry: Entry = { head, since: head.since, threads: 0, keptSum: 0, keptCount: 0, at: -1 }
    this.#entries.set(key, entry)
    return entry
  }
}

function placeOf({ at, head }: Entry): number {
  return head.merge === 'max' ? ~at : at
}

/** Adds what a thread has said to the sums. Ten thousand routes have a hundred thousand numbers in each thread. */
function addUp({ values, places: at }: Account, sums: Float64Array, found: (SummaryPlace[] | null)[]): void {
  let next = 0
  readValues(values, {
    number: (_, value) => {
      const place = at[next++] as number
      if (place >= 0) sums[place] = (sums[place] as number) + value
      else sums[~place] = Math.max(sums[~place] as number, value)
    },
    summary: (_, from) => found[at[next++] as number]?.push({ values, at: from }),
  })
}

/** Whether values are those of the given series, in this order. */
function hasIds(values: Float64Array, ids: readonly number[]): boolean {
  const numbers = values[0] ?? 0
  let [next, at] = [0, 1]
  while (next < numbers && values[at] === ids[next]) {
    next++
    at += 2
  }
  if (next < numbers) return false
  // A summary says how long it is.
  while (at < values.length && values[at] === ids[next]) {
    next++
    at += 2 + (values[at + 1] as number)
  }
  return at >= values.length && next === ids.length
}

/** Finds the series of the values; what a report leaves out, its thread has given up. */
function arrange(account: Account): void {
  const { entries, values } = account
  const ids: number[] = []
  const note = (id: number): void => void ids.push(id)
  readValues(values, { number: note, summary: note })
  account.ids = ids
  account.order = ids.map((id) => entries.get(id) as Entry)
  if (ids.length === entries.size) return
  const reported = new Set(ids)
  for (const [id, entry] of entries) {
    if (reported.has(id)) continue
    entry.threads--
    entries.delete(id)
  }
}
