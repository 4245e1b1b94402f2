import type { MetricReport, MetricSample, SeriesHead } from '#contracts'
import { bucketsIn } from './duration-histogram.ts'
import { readValues } from './report.ts'
import { type Head, HistogramSample, NumberSample, type SummaryOffset, SummarySample } from './sample.ts'
import { seriesKey } from './series-key.ts'

/** The reported state of one thread. */
interface ThreadState {
  /** By the series ids of the thread. */
  readonly entries: Map<number, Entry>
  /** The largest declared series id. */
  lastHead: number
  values: Float64Array
  /** Ids in the order of the values, and their entries; usually unchanged between reports. */
  ids: readonly number[]
  order: readonly Entry[]
  /** Index of each in the exposed series; bitwise complement where values are merged by maximum instead of sum. */
  indexes: Int32Array
}

/** A series over all threads. */
interface Entry {
  readonly head: Head
  since: number
  /** Number of threads that have it. */
  threads: number
  /** Totals of ended threads. */
  endedSum: number
  endedCount: number
  /** Of a histogram; null where no thread has ended. */
  endedBuckets: Float64Array | null
  /** Index into the exposed series; -1 where it is not exposed. */
  index: number
}

/** Histograms of ended threads that no other thread has. */
const MAX_ENDED_HISTOGRAMS = 10_000

/**
 * Merges the metrics of all threads. Totals of an ended thread are retained, since counters must not decrease;
 * increments after its last report are lost.
 */
export class ThreadAggregation {
  readonly #states = new Map<object, ThreadState>()
  readonly #entries = new Map<string, Entry>()
  /** Exposed series; null after a change. */
  #exposed: readonly Entry[] | null = null
  /** Whether there may be series without a thread. */
  #mayHaveUnused = false

  /** A later report of one thread replaces the earlier one. */
  addReport(thread: object, { heads, values }: MetricReport): void {
    const state = this.#states.get(thread) ?? {
      entries: new Map(),
      lastHead: 0,
      values: new Float64Array(0),
      ids: [],
      order: [],
      indexes: new Int32Array(0),
    }
    this.#states.set(thread, state)
    for (const { id, ...head } of heads) {
      const entry = this.#entry(head)
      entry.threads++
      state.entries.set(id, entry)
      state.lastHead = id
    }
    if (values === null) return
    state.values = values
    if (heads.length === 0 && hasIds(values, state.ids)) return
    mapValues(state)
    this.#exposed = null
    this.#mayHaveUnused = true
  }

  /** The id up to which the series of a thread are declared. */
  lastHead(thread: object): number {
    return this.#states.get(thread)?.lastHead ?? 0
  }

  /** Removes an ended thread; its totals are retained. */
  remove(thread: object): void {
    const state = this.#states.get(thread)
    if (state === undefined) return
    this.#states.delete(thread)
    this.#exposed = null
    this.#mayHaveUnused = true
    const { entries, values } = state
    for (const entry of entries.values()) entry.threads--
    readValues(values, {
      number: (id, value) => {
        const entry = entries.get(id) as Entry
        if (entry.head.type === 'counter') entry.endedSum += value
      },
      summary: (id, at) => {
        const entry = entries.get(id) as Entry
        entry.endedSum += values[at] as number
        entry.endedCount += values[at + 1] as number
        if (entry.head.type === 'histogram') addBuckets(entry, bucketsIn(values, at))
      },
    })
  }

  /** Drops totals of series without a thread, such as those of removed routes; of histograms those beyond a limit. */
  dropUnused(): void {
    if (!this.#mayHaveUnused) return
    this.#mayHaveUnused = false
    this.#exposed = null
    let kept = 0
    for (const [key, { threads, head }] of this.#entries) {
      if (threads > 0) continue
      // Histograms are created by the first request with their labels: the successor of a thread has them later.
      if (head.type !== 'histogram' || ++kept > MAX_ENDED_HISTOGRAMS) this.#entries.delete(key)
    }
  }

  /** Every series of a thread, running or ended. */
  samples(): MetricSample[] {
    this.#exposed ??= this.#findExposed()
    const exposed = this.#exposed
    const sums = new Float64Array(exposed.length)
    const summaries = new Array<SummaryOffset[] | null>(exposed.length).fill(null)
    for (let at = 0; at < exposed.length; at++) {
      const { head, endedSum } = exposed[at] as Entry
      sums[at] = head.merge === 'max' ? Number.NEGATIVE_INFINITY : endedSum
      if (head.type === 'summary' || head.type === 'histogram') summaries[at] = []
    }
    for (const state of this.#states.values()) addUp(state, sums, summaries)
    return exposed.map(({ head, since, endedSum, endedCount, endedBuckets }, at) => {
      const found = summaries[at] ?? null
      if (found === null) return new NumberSample(head, since, sums[at] as number)
      const ended = { sum: endedSum, count: endedCount }
      if (head.type === 'histogram')
        return new HistogramSample(head, since, { ...ended, buckets: endedBuckets && [...endedBuckets] }, found)
      return new SummarySample(head, since, ended, found)
    })
  }

  #findExposed(): Entry[] {
    const exposed: Entry[] = []
    const expose = (entry: Entry): void => {
      if (entry.index >= 0) return
      entry.index = exposed.length
      exposed.push(entry)
    }
    for (const entry of this.#entries.values()) entry.index = -1
    for (const { order } of this.#states.values()) for (const entry of order) expose(entry)
    for (const entry of this.#entries.values()) if (entry.endedSum > 0 || entry.endedCount > 0) expose(entry)
    for (const state of this.#states.values()) state.indexes = Int32Array.from(state.order, indexOf)
    return exposed
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
      endedSum: 0,
      endedCount: 0,
      endedBuckets: null,
      index: -1,
    }
    this.#entries.set(key, entry)
    return entry
  }
}

/** Adds the counts of a thread that has ended. */
function addBuckets(entry: Entry, counts: Float64Array): void {
  const before = entry.endedBuckets
  entry.endedBuckets = counts.map((count, bucket) => count + (before?.[bucket] ?? 0))
}

function indexOf({ index, head }: Entry): number {
  return head.merge === 'max' ? ~index : index
}

/** Adds the values of a thread to the sums; with 10,000 routes these are 100,000 values. */
function addUp({ values, indexes }: ThreadState, sums: Float64Array, found: (SummaryOffset[] | null)[]): void {
  let next = 0
  readValues(values, {
    number: (_, value) => {
      const index = indexes[next++] as number
      if (index >= 0) sums[index] = (sums[index] as number) + value
      else sums[~index] = Math.max(sums[~index] as number, value)
    },
    summary: (_, from) => found[indexes[next++] as number]?.push({ values, at: from }),
  })
}

/** Whether the values are of the given series, in this order. */
function hasIds(values: Float64Array, ids: readonly number[]): boolean {
  const numbers = values[0] ?? 0
  let [next, at] = [0, 1]
  while (next < numbers && values[at] === ids[next]) {
    next++
    at += 2
  }
  if (next < numbers) return false
  // A summary includes its length.
  while (at < values.length && values[at] === ids[next]) {
    next++
    at += 2 + (values[at + 1] as number)
  }
  return at >= values.length && next === ids.length
}

/** Maps values to series; series that are missing from the report were released by the thread. */
function mapValues(state: ThreadState): void {
  const { entries, values } = state
  const ids: number[] = []
  const note = (id: number): void => void ids.push(id)
  readValues(values, { number: note, summary: note })
  state.ids = ids
  state.order = ids.map((id) => entries.get(id) as Entry)
  if (ids.length === entries.size) return
  const reported = new Set(ids)
  for (const [id, entry] of entries) {
    if (reported.has(id)) continue
    entry.threads--
    entries.delete(id)
  }
}
