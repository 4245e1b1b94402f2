import { FilterKind } from '#contracts'
import { chain, type Filter } from '#http'
import { defineType, list, ref } from '#schema'

/** A sequence of filters, used as one filter. */
export const ChainOfFilters = defineType({
  name: 'ChainOfFilters',
  kind: FilterKind,
  summary: 'Combines several filters into one, to reuse them in many chains.',
  config: {
    filters: list(ref(FilterKind)).meta({
      description: 'Filters in the order in which a request passes them. An empty list passes every request on.',
    }),
  },
  create: ({ filters }) => filterGroup(filters),
})

/** Combines filters into one. */
function filterGroup(filters: readonly Filter[]): Filter {
  const [only] = filters
  if (only === undefined) return (exchange, next) => next(exchange)
  if (filters.length === 1) return only
  // `next` differs for each request, as filters may wrap it; creating these closures is cheaper than caching them by `next`.
  return (exchange, next) => chain(filters, next)(exchange)
}
