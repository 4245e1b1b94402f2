import type { JsonObject, JsonValue } from '#json'
import { memberOf, type Pointer, valueAt } from '../pointer.ts'
import type { Query } from '../query/query.ts'
import { type ListingOptions, pageSteps, type ResultPage } from '../query/result-page.ts'
import type { FieldReader } from '../query-filter/compile.ts'
import { runInSlices, runToEnd, type Steps } from '../time-slices.ts'
import type { Resource } from './endpoint.ts'
import { Refusal } from './refusal.ts'

/** Runs a query with a filter over all resources of a provider that has few of them. */
export function listResources(
  resources: Iterable<Resource>,
  query: Query,
  options: ListingOptions<Resource>,
): ResultPage<Resource> | Refusal {
  return runToEnd(listingSteps(resources, query, options))
}

/** The same for many resources: yields to the event loop. The resources must not change meanwhile. */
export function queryResources(
  resources: Iterable<Resource>,
  query: Query,
  options: ListingOptions<Resource>,
): Promise<ResultPage<Resource> | Refusal> {
  return runInSlices(listingSteps(resources, query, options))
}

function* listingSteps(
  resources: Iterable<Resource>,
  query: Query,
  options: ListingOptions<Resource>,
): Steps<ResultPage<Resource> | Refusal> {
  const { selector } = query
  if (!('filter' in selector)) return new Refusal(501, 'only _queryFilter is supported here')
  const page = yield* pageSteps(resources, selector.filter, query, { ...options, readerOf })
  return typeof page === 'string' ? new Refusal(400, page) : page
}

/** Reads only the fields of the query: building every resource would take most of the time. */
function readerOf(pointer: Pointer): FieldReader<Resource> {
  const [name, ...rest] = pointer
  if (name === undefined) return wholeOf
  const field = fieldReader(name)
  if (rest.length === 0) return field
  return (resource) => {
    const value = field(resource)
    return value === undefined ? undefined : valueAt(value, rest)
  }
}

function fieldReader(name: string): FieldReader<Resource> {
  if (name === '_id') return ({ id }) => id
  if (name === '_rev') return ({ revision }) => revision
  return (resource) => {
    if (resource.field !== undefined) return resource.field(name)
    const own: JsonValue | undefined = memberOf(resource.content, name)
    return own !== undefined || resource.onRequest === undefined ? own : memberOf(resource.onRequest, name)
  }
}

function wholeOf({ id, revision, content, onRequest }: Resource): JsonObject {
  return { ...content, ...onRequest, _id: id, _rev: revision }
}
