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
  if (query.pageSize === 0) {
    const all = order.first(order.place(found), found.length).map(({ entry }) => entry)
    return { entries: all, cookie: null, countPolicy: 'NONE', total: -1, remaining: -1 }
  }
  const meant = `${printQueryFilter(filter)}\n${printSortKeys(query.sortKeys)}`
  const after = query.cookie === null ? null : options.cookies.read(meant, query.cookie)
  if (typeof after === 'string') return after
  const placed = order.place(found)
  const ahead = after === null ? placed : placed.filter(({ place }) => order.compare(place, after) > 0)
  const page = order.first(ahead, query.offset + query.pageSize).slice(query.offset)
  const remaining = Math.max(ahead.length - query.offset - page.length, 0)
  const last = page.at(-1)
  const counted = query.countPolicy !== 'NONE'
  return {
    entries: page.map(({ entry }) => entry),
    cookie: remaining > 0 && last !== undefined ? options.cookies.make(meant, last.place) : null,
    countPolicy: query.countPolicy,
    total: counted ? found.length : -1,
    remaining: counted ? remaining : -1,
  }
}

/** A total order: the sort keys, or the natural order; then the id. */
class Order<E extends Entry> {
  readonly #keys: readonly SortKey[]
  readonly #natural: ((entry: E) => string) | null

  constructor(keys: readonly SortKey[], natural: ((entry: E) => string) | undefined) {
    this.#keys = keys
    this.#natural = keys.length === 0 ? (natural ?? null) : null
  }

  place(entries: readonly E[]): Placed<E>[] {
    return entries.map((entry) => ({ entry, place: { id: entry.id, values: this.#values(entry) } }))
  }

  /** The first so many, in order. A page of a large collection does not need the rest of it sorted. */
  first(placed: Placed<E>[], count: number): Placed<E>[] {
    const compare = (a: Placed<E>, b: Placed<E>) => this.compare(a.place, b.place)
    if (count * 8 > placed.length) return placed.sort(compare).slice(0, count)
    const best: Placed<E>[] = []
    for (const one of placed) {
      if (best.length === count && compare(one, best[count - 1] as Placed<E>) >= 0) continue
      let [low, high] = [0, best.length]
      while (low < high) {
        const middle = (low + high) >> 1
        if (compare(best[middle] as Placed<E>, one) < 0) low = middle + 1
        else high = middle
      }
      best.splice(low, 0, one)
      if (best.length > count) best.pop()
    }
    return best
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
