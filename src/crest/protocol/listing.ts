import type { JsonObject } from '#json'
import type { Query } from '../query/query.ts'
import { type ListingOptions, type ResultPage, resultPage } from '../query/result-page.ts'
import type { Resource } from './endpoint.ts'
import { Refusal } from './refusal.ts'

/** Answers a query with a filter for a provider that has all of its resources at hand. */
export function listResources(
  resources: Iterable<Resource>,
  query: Query,
  options: ListingOptions,
): ResultPage<Resource> | Refusal {
  const { selector } = query
  if (!('filter' in selector)) return new Refusal(501, 'only _queryFilter is supported here')
  const page = resultPage(entries(resources), selector.filter, query, options)
  if (typeof page === 'string') return new Refusal(400, page)
  return { ...page, entries: page.entries.map(({ resource }) => resource) }
}

function* entries(resources: Iterable<Resource>): Generator<{ id: string; fields: JsonObject; resource: Resource }> {
  for (const resource of resources) {
    const { id, revision, content, onRequest } = resource
    yield { id, fields: { ...content, ...onRequest, _id: id, _rev: revision }, resource }
  }
}
