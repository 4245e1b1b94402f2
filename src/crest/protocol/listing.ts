import { type JsonObject, type JsonValue, setOwn } from '#json'
import { memberOf } from '../pointer.ts'
import type { Query } from '../query/query.ts'
import { type Entry, type ListingOptions, type ResultPage, resultPage } from '../query/result-page.ts'
import type { QueryFilter } from '../query-filter/filter.ts'
import type { Resource } from './endpoint.ts'
import { Refusal } from './refusal.ts'

type Listed = Entry & { readonly resource: Resource }

/** Answers a query with a filter for a provider that has all of its resources at hand. */
export function listResources(
  resources: Iterable<Resource>,
  query: Query,
  { naturalOrder, ...options }: ListingOptions<Resource>,
): ResultPage<Resource> | Refusal {
  const { selector, sortKeys } = query
  if (!('filter' in selector)) return new Refusal(501, 'only _queryFilter is supported here')
  const names = new Set(sortKeys.map(({ pointer }) => pointer[0] as string))
  const isWhole = !fieldsOf(selector.filter, names)
  const page = resultPage<Listed>(entries(resources, isWhole ? null : names), selector.filter, query, {
    ...options,
    ...(naturalOrder !== undefined && { naturalOrder: ({ resource }: Listed) => naturalOrder(resource) }),
  })
  if (typeof page === 'string') return new Refusal(400, page)
  return { ...page, entries: page.entries.map(({ resource }) => resource) }
}

/** Adds the names of the fields that a filter looks at; false where it looks at the whole resource. */
function fieldsOf(filter: QueryFilter, names: Set<string>): boolean {
  if (filter.kind === 'literal') return true
  if (filter.kind === 'not') return fieldsOf(filter.filter, names)
  if (filter.kind === 'and' || filter.kind === 'or') return filter.filters.every((part) => fieldsOf(part, names))
  if (filter.pointer.length > 0) names.add(filter.pointer[0] as string)
  return filter.pointer.length > 0
}

/** Only what the query looks at is put together: with many resources that is most of the work. */
function* entries(resources: Iterable<Resource>, names: ReadonlySet<string> | null): Generator<Listed> {
  for (const resource of resources) {
    const { id, revision, content } = resource
    if (names === null) {
      yield { id, fields: { ...content, ...resource.onRequest, _id: id, _rev: revision }, resource }
      continue
    }
    const fields: JsonObject = {}
    for (const name of names) {
      const value = fieldOf(resource, name)
      if (value !== undefined) setOwn(fields, name, value)
    }
    yield { id, fields, resource }
  }
}

function fieldOf(resource: Resource, name: string): JsonValue | undefined {
  if (name === '_id') return resource.id
  if (name === '_rev') return resource.revision
  const own = memberOf(resource.content, name)
  return own !== undefined || resource.onRequest === undefined ? own : memberOf(resource.onRequest, name)
}
