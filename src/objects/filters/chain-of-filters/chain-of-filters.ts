import { FilterKind } from '#contracts'
import { chain, type Filter } from '#http'
import { defineType, list, ref } from '#schema'

/** Filters in order, to be used as one. */
export const ChainOfFilters = defineType({
  name: 'ChainOfFilters',
  kind: FilterKind,
  summary: 'Makes one filter of several, so that a group of filters can be named once and used in many chains.',
  config: {
    filters: list(ref(FilterKind)).meta({
      description: 'Filters in the order in which a request meets them; may be empty, which lets everything pass.',
    }),
  },
  create: ({ filters }) => filterGroup(filters),
})

/** One filter that does what the given filters do in a row. */
function filterGroup(filters: readonly Filter[]): Filter {
  const [only] = filters
  if (only === undefined) return (exchange, next) => next(exchange)
  if (filters.length === 1) return only
  // What follows is known only with the request, as filters may wrap it; making these closures costs less than
  // remembering them by what follows.
  return (exchange, next) => chain(filters, next)(exchange)
}
