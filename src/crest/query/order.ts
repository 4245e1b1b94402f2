import type { JsonValue } from '#json'
import type { Pointer } from '../pointer.ts'
import type { FieldReader } from '../query-filter/compile.ts'
import type { Steps } from '../time-slices.ts'
import type { PagePosition } from './page-cookies.ts'
import { compareSortValues, SORTED_LENGTH, type SortKey, sortValue } from './sort-keys.ts'

/** An entry and its sort values. */
export interface RankedEntry<E> {
  readonly entry: E
  readonly position: PagePosition
}

interface OrderOptions<E> {
  readonly readerOf: (pointer: Pointer) => FieldReader<E>
  readonly naturalOrder: ((entry: E) => string) | null
}

/** Entries sorted in one run, which takes a few milliseconds. */
const RUN = 2_048

/** A total order: the sort keys, or the natural order; then the id. */
export class Order<E extends { readonly id: string }> {
  readonly #keys: readonly SortKey[]
  readonly #readers: readonly FieldReader<E>[]
  readonly #natural: ((entry: E) => string) | null

  constructor(keys: readonly SortKey[], { readerOf, naturalOrder }: OrderOptions<E>) {
    this.#keys = keys
    this.#readers = keys.map(({ pointer }) => readerOf(pointer))
    this.#natural = keys.length === 0 ? naturalOrder : null
  }

  position(entry: E): PagePosition {
    const { id } = entry
    if (this.#natural !== null) return { id, values: [this.#natural(entry).slice(0, SORTED_LENGTH)] }
    return { id, values: this.#readers.map((read) => sortValue(read(entry) as JsonValue | undefined)) }
  }

  compare(a: PagePosition, b: PagePosition): number {
    const order =
      this.#natural === null
        ? compareSortValues(a.values, b.values, this.#keys)
        : byCodeUnit(String(a.values[0]), String(b.values[0]))
    return order !== 0 ? order : byCodeUnit(a.id, b.id)
  }

  /** Sorts runs, then merges them pairwise; yields to the event loop in between. */
  *sorted(items: readonly RankedEntry<E>[]): Steps<RankedEntry<E>[]> {
    const compare = (a: RankedEntry<E>, b: RankedEntry<E>) => this.compare(a.position, b.position)
    let runs: RankedEntry<E>[][] = []
    for (let at = 0; at < items.length; at += RUN) {
      runs.push(items.slice(at, at + RUN).sort(compare))
      yield
    }
    while (runs.length > 1) {
      const merged: RankedEntry<E>[][] = []
      for (let at = 0; at < runs.length; at += 2) {
        merged.push(yield* mergedRuns(runs[at] as RankedEntry<E>[], runs[at + 1] ?? [], compare))
      }
      runs = merged
    }
    return runs[0] ?? []
  }
}

function* mergedRuns<T>(left: readonly T[], right: readonly T[], compare: (a: T, b: T) => number): Steps<T[]> {
  const merged: T[] = []
  let [fromLeft, fromRight] = [0, 0]
  while (fromLeft < left.length && fromRight < right.length) {
    const isLeft = compare(left[fromLeft] as T, right[fromRight] as T) <= 0
    merged.push((isLeft ? left[fromLeft++] : right[fromRight++]) as T)
    if (merged.length % RUN === 0) yield
  }
  return merged.concat(left.slice(fromLeft), right.slice(fromRight))
}

function byCodeUnit(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
