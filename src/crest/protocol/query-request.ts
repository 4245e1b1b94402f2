import { type CountPolicy, MAX_PAGE_SIZE, type Query, type QuerySelector } from '../query/query.ts'
import { parseSortKeys, type SortKey } from '../query/sort-keys.ts'
import { QueryFilterError } from '../query-filter/filter.ts'
import { parseQueryFilter } from '../query-filter/parser.ts'
import { type ApiVersions, isAtLeast } from './api-version.ts'
import type { Collection } from './endpoint.ts'
import type { Parameters } from './parameters.ts'
import { RequestError } from './refusal.ts'

/** The parameters that make a GET a query. */
export const SELECTORS = ['_queryFilter', '_queryId', '_queryExpression'] as const

/** Parses and validates the parameters of a query (spec: "Query parameters"). */
export function readQueryRequest(parameters: Parameters, collection: Collection, versions: ApiVersions): Query {
  const selector = readSelector(parameters, collection)
  const pageSize = parameters.count('_pageSize') ?? 0
  if (pageSize > MAX_PAGE_SIZE) throw new RequestError(400, `_pageSize: at most ${MAX_PAGE_SIZE}, got ${pageSize}`)
  const countOnly = parameters.flag('_countOnly')
  if (countOnly && !isAtLeast(versions, '2.2')) {
    throw new RequestError(400, `_countOnly needs protocol version 2.2, the request is in ${versions.protocol}`)
  }
  return {
    selector,
    sortKeys: readSortKeys(parameters, selector),
    pageSize,
    ...readPlace(parameters, pageSize),
    countPolicy: readCountPolicy(parameters.get('_totalPagedResultsPolicy'), pageSize),
    countOnly,
  }
}

function readSelector(parameters: Parameters, { queries = {}, queryExpressions = false }: Collection): QuerySelector {
  const given = SELECTORS.filter((name) => parameters.has(name))
  if (given.length > 1) throw new RequestError(400, `${given.join(' and ')} can not be used together`)
  const text = parameters.get(given[0] as string) as string
  if (given[0] === '_queryFilter') {
    parameters.only('query')
    return { filter: readFilter(text) }
  }
  if (given[0] === '_queryExpression') {
    parameters.only('query')
    if (!queryExpressions) throw new RequestError(501, '_queryExpression is not supported here; use _queryFilter')
    return { expression: text }
  }
  const stored = Object.hasOwn(queries, text) ? queries[text] : undefined
  if (stored === undefined) throw new RequestError(501, 'there is no stored query of this name; use _queryFilter')
  const own = parameters.only(
    'query',
    stored.parameters?.map(({ name }) => name),
  )
  for (const { name, required } of stored.parameters ?? []) {
    if (required && own[name] === undefined) throw new RequestError(400, `the query needs the parameter ${name}`)
  }
  return { id: text, parameters: own }
}

function readFilter(text: string) {
  try {
    return parseQueryFilter(text)
  } catch (error) {
    if (error instanceof QueryFilterError) throw new RequestError(400, error.message)
    throw error
  }
}

function readSortKeys(parameters: Parameters, selector: QuerySelector): readonly SortKey[] {
  const text = parameters.get('_sortKeys')
  if (text === null) return []
  if ('id' in selector) throw new RequestError(400, '_sortKeys can not be used with _queryId')
  const keys = parseSortKeys(text)
  if (typeof keys === 'string') throw new RequestError(400, keys)
  return keys
}

function readPlace(parameters: Parameters, pageSize: number): Pick<Query, 'cookie' | 'offset'> {
  const cookie = parameters.get('_pagedResultsCookie')
  const offset = parameters.count('_pagedResultsOffset')
  if (cookie !== null && offset !== null) {
    throw new RequestError(400, '_pagedResultsCookie and _pagedResultsOffset can not be used together')
  }
  if (pageSize === 0 && (cookie !== null || offset !== null)) {
    throw new RequestError(
      400,
      `${cookie === null ? '_pagedResultsOffset' : '_pagedResultsCookie'} needs a _pageSize over 0`,
    )
  }
  return { cookie, offset: offset ?? 0 }
}

const POLICIES: readonly CountPolicy[] = ['NONE', 'ESTIMATE', 'EXACT']

function readCountPolicy(text: string | null, pageSize: number): CountPolicy {
  const policy = text === null ? 'NONE' : POLICIES.find((known) => known === text.toUpperCase())
  if (policy === undefined) throw new RequestError(400, `_totalPagedResultsPolicy: expected ${POLICIES.join(', ')}`)
  return pageSize === 0 ? 'NONE' : policy
}
