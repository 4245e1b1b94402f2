import type { Exemplar, HistogramBuckets } from '#contracts'
import type { Float64List } from './float64-list.ts'

/** Upper bounds in seconds: those that the semantic conventions advise for `http.server.request.duration`. */
const DURATION_BOUNDS: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
const BUCKETS = DURATION_BOUNDS.length + 1

/** Digits of ids that one number holds. */
const WORD = 8
const TRACE_WORDS = 4
const SPAN_WORDS = 2
/** Bucket, value, time, and the words of both ids. */
const EXEMPLAR_NUMBERS = 3 + TRACE_WORDS + SPAN_WORDS
const BUCKETS_AT = 2
const EXEMPLARS_AT = BUCKETS_AT + BUCKETS

/** A histogram of durations in seconds with fixed bounds, and the last exemplar of each bucket. */
export class DurationHistogram {
  sum = 0
  count = 0
  readonly #counts = new Float64Array(BUCKETS)
  /** Created with the first sampled trace. */
  #exemplars: (Exemplar | null)[] | null = null

  observe(seconds: number): void {
    this.#record(seconds)
  }

  /** Records a request of a sampled trace. */
  observeTraced(seconds: number, traceId: string, spanId: string): void {
    const bucket = this.#record(seconds)
    this.#exemplars ??= new Array<Exemplar | null>(BUCKETS).fill(null)
    this.#exemplars[bucket] = { bucket, value: seconds, time: Date.now() / 1000, traceId, spanId }
  }

  /** Writes sum, count, the count of each bucket, the number of exemplars, and those. */
  write(list: Float64List): void {
    list.push(this.sum)
    list.push(this.count)
    for (const count of this.#counts) list.push(count)
    const exemplars = this.#exemplars?.filter((each) => each !== null) ?? []
    list.push(exemplars.length)
    for (const { bucket, value, time, traceId, spanId } of exemplars) {
      for (const number of [bucket, value, time, ...wordsOf(traceId), ...wordsOf(spanId)]) list.push(number)
    }
  }

  #record(seconds: number): number {
    this.sum += seconds
    this.count++
    let bucket = 0
    while (bucket < DURATION_BOUNDS.length && seconds > (DURATION_BOUNDS[bucket] as number)) bucket++
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1
    return bucket
  }
}

/** Merges histograms that `write` has written, at these offsets; `ended` are counts of threads that have ended. */
export function mergeHistograms(
  written: readonly { readonly values: Float64Array; readonly at: number }[],
  ended: readonly number[] | null,
): HistogramBuckets {
  const counts = Array.from({ length: BUCKETS }, (_, bucket) => ended?.[bucket] ?? 0)
  const exemplars = new Array<Exemplar | null>(BUCKETS).fill(null)
  for (const { values, at } of written) {
    for (const [bucket, count] of bucketsIn(values, at).entries()) counts[bucket] = (counts[bucket] as number) + count
    for (const exemplar of exemplarsIn(values, at)) {
      const known = exemplars[exemplar.bucket] ?? null
      if (known === null || known.time < exemplar.time) exemplars[exemplar.bucket] = exemplar
    }
  }
  return { bounds: DURATION_BOUNDS, counts, exemplars }
}

/** The count of each bucket of a written histogram. */
export function bucketsIn(values: Float64Array, at: number): Float64Array {
  return values.subarray(at + BUCKETS_AT, at + EXEMPLARS_AT)
}

function* exemplarsIn(values: Float64Array, at: number): Generator<Exemplar> {
  const count = values[at + EXEMPLARS_AT] ?? 0
  for (let n = 0; n < count; n++) {
    const from = at + EXEMPLARS_AT + 1 + n * EXEMPLAR_NUMBERS
    const [bucket = 0, value = 0, time = 0, ...words] = values.subarray(from, from + EXEMPLAR_NUMBERS)
    const traceId = textOf(words.slice(0, TRACE_WORDS))
    yield { bucket, value, time, traceId, spanId: textOf(words.slice(TRACE_WORDS)) }
  }
}

function wordsOf(id: string): number[] {
  return Array.from({ length: id.length / WORD }, (_, n) => Number.parseInt(id.slice(n * WORD, (n + 1) * WORD), 16))
}

function textOf(words: readonly number[]): string {
  return words.map((word) => word.toString(16).padStart(WORD, '0')).join('')
}
