import type { JsonObject } from '#json'
import { type ExtendedOperators, matches } from '../query-filter/evaluate.ts'
import type { QueryFilter } from '../query-filter/filter.ts'
import { printQueryFilter } from '../query-filter/print.ts'
import type { PageCookies, PagePlace } from './page-cookies.ts'
import type { CountPolicy, Query } from './query.ts'
import { compareSortValues, printSortKeys, SORTED_LENGTH, type SortKey, sortValues } from './sort-keys.ts'

/** An entry that a query looks at. */
export interface Entry {
  readonly id: string
  /** What filters and sort keys see: the resource with `_id` and `_rev`. */
  readonly fields: JsonObject
}

/** One page of a result. */
export interface ResultPage<E> {
  readonly entries: readonly E[]
  /** Null on the last page. */
  readonly cookie: string | null
  readonly countPolicy: CountPolicy
  /** -1 where nobody counted. */
  readonly total: number
  readonly remaining: number
  /** Set where only the number was asked for. */
  readonly count?: number
}

/** How a collection is queried that can list all of its entries. */
export interface ListingOptions<E> {
  readonly cookies: PageCookies
  readonly operators?: ExtendedOperators
  /** The text that gives the order, by code unit, where a query names no sort keys; `_id` follows. */
  readonly naturalOrder?: (entry: E) => string
}

interface Placed<E> {
  readonly entry: E
  readonly place: PagePlace
}

/** Answers a query over entries that are all at hand; a text says what is wrong with it. */
export function resultPage<E extends Entry>(
  entries: Iterable<E>,
  filter: QueryFilter,
  query: Query,
  options: ListingOptions<E>,
): ResultPage<E> | string {
  const found: E[] = []
  for (const entry of entries) if (matches(filter, entry.fields, options.operators)) found.push(entry)
  if (query.countOnly) {
    return { entries: [], cookie: null, countPolicy: 'EXACT', total: found.length, remaining: -1, count: found.length }
  }
  const order = new Order(query.sortKeys, options.naturalOrder)
  const sorted = order.sort(found)
  if (query.pageSize === 0) {
    const all = sorted.map(({ entry }) => entry)
    return { entries: all, cookie: null, countPolicy: 'NONE', total: -1, remaining: -1 }
  }
  const meant = `${printQueryFilter(filter)}\n${printSortKeys(query.sortKeys)}`
  const start = startOf(query, meant, sorted, order, options.cookies)
  if (typeof start === 'string') return start
  const page = sorted.slice(start, start + query.pageSize)
  const after = Math.max(sorted.length - start - page.length, 0)
  const last = page.at(-1)
  const counted = query.countPolicy !== 'NONE'
  return {
    entries: page.map(({ entry }) => entry),
    cookie: after > 0 && last !== undefined ? options.cookies.make(meant, last.place) : null,
    countPolicy: query.countPolicy,
    total: counted ? sorted.length : -1,
    remaining: counted ? after : -1,
  }
}

function startOf<E extends Entry>(
  { cookie, offset }: Query,
  meant: string,
  sorted: readonly Placed<E>[],
  order: Order<E>,
  cookies: PageCookies,
): number | string {
  if (cookie === null) return offset
  const place = cookies.read(meant, cookie)
  if (typeof place === 'string') return place
  const start = sorted.findIndex((candidate) => order.compare(candidate.place, place) > 0)
  return start === -1 ? sorted.length : start
}

/** A total order: the sort keys, or the natural order; then the id. */
class Order<E extends Entry> {
  readonly #keys: readonly SortKey[]
  readonly #natural: ((entry: E) => string) | null

  constructor(keys: readonly SortKey[], natural: ((entry: E) => string) | undefined) {
    this.#keys = keys
    this.#natural = keys.length === 0 ? (natural ?? null) : null
  }

  sort(entries: readonly E[]): Placed<E>[] {
    return entries
      .map((entry) => ({ entry, place: { id: entry.id, values: this.#values(entry) } }))
      .sort((a, b) => this.compare(a.place, b.place))
  }

  compare(a: PagePlace, b: PagePlace): number {
    const order =
      this.#natural === null
        ? compareSortValues(a.values, b.values, this.#keys)
        : byCodeUnit(String(a.values[0]), String(b.values[0]))
    return order !== 0 ? order : byCodeUnit(a.id, b.id)
  }

  #values(entry: E): PagePlace['values'] {
    if (this.#natural === null) return sortValues(entry.fields, this.#keys)
    return [this.#natural(entry).slice(0, SORTED_LENGTH)]
  }
}

function byCodeUnit(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
