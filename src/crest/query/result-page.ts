import type { Pointer } from '../pointer.ts'
import { compileFilter, type ExtendedOperators, type FieldReader } from '../query-filter/compile.ts'
import type { QueryFilter } from '../query-filter/filter.ts'
import { printQueryFilter } from '../query-filter/print.ts'
import type { Steps } from '../time-slices.ts'
import { FirstEntries } from './first-entries.ts'
import { Order } from './order.ts'
import type { PageCookies } from './page-cookies.ts'
import type { CountPolicy, Query } from './query.ts'
import { printSortKeys } from './sort-keys.ts'

/** One page of a result. */
export interface ResultPage<E> {
  readonly entries: readonly E[]
  /** Null on the last page. */
  readonly cookie: string | null
  readonly countPolicy: CountPolicy
  /** -1 where it was not counted. */
  readonly total: number
  readonly remaining: number
  /** Set for `_countOnly`. */
  readonly count?: number
}

/** Queries of a collection that can list all of its entries. */
export interface ListingOptions<E> {
  readonly cookies: PageCookies
  readonly operators?: ExtendedOperators
  /** The sort key of queries without `_sortKeys`, compared by code unit; `_id` follows. */
  readonly naturalOrder?: (entry: E) => string
}

/** Entries processed between two turns of the event loop. */
const LOOKS = 32

/** Runs a query over entries in memory, in steps; returns an error message for an invalid query. Each entry is read once, in order. */
export function* pageSteps<E extends { readonly id: string }>(
  entries: Iterable<E>,
  filter: QueryFilter,
  query: Query,
  options: ListingOptions<E> & { readonly readerOf: (pointer: Pointer) => FieldReader<E> },
): Steps<ResultPage<E> | string> {
  const { cookies, operators = {}, naturalOrder = null, readerOf } = options
  const meant = `${printQueryFilter(filter)}\n${printSortKeys(query.sortKeys)}`
  const after = query.cookie === null ? null : cookies.read(meant, query.cookie)
  if (typeof after === 'string') return after
  const matches = compileFilter(filter, readerOf, operators)
  const order = new Order(query.sortKeys, { readerOf, naturalOrder })
  const isPage = query.pageSize > 0
  const first = new FirstEntries(order, isPage ? query.offset + query.pageSize : Number.POSITIVE_INFINITY)
  let [looks, found, ahead] = [0, 0, 0]
  for (const entry of entries) {
    if (++looks % LOOKS === 0) yield
    if (matches(entry) !== true) continue
    found++
    if (query.countOnly) continue
    const position = order.position(entry)
    if (after !== null && order.compare(position, after) <= 0) continue
    ahead++
    first.add({ entry, position })
    if (first.isFull) yield* first.shrink()
  }
  if (query.countOnly) {
    return { entries: [], cookie: null, countPolicy: 'EXACT', total: found, remaining: -1, count: found }
  }
  const page = (yield* first.shrink()).slice(query.offset)
  const remaining = Math.max(ahead - query.offset - page.length, 0)
  const last = page.at(-1)
  const counted = isPage && query.countPolicy !== 'NONE'
  return {
    entries: page.map(({ entry }) => entry),
    cookie: remaining > 0 && last !== undefined ? cookies.make(meant, last.position) : null,
    countPolicy: isPage ? query.countPolicy : 'NONE',
    total: counted ? found : -1,
    remaining: counted ? remaining : -1,
  }
}
