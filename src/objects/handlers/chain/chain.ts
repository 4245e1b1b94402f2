import { FilterKind, HandlerKind } from '#contracts'
import { chain } from '#http'
import { defineType, list, ref } from '#schema'

/** Filters in order, then a handler. */
export const Chain = defineType({
  name: 'Chain',
  kind: HandlerKind,
  summary: 'Passes a request through filters to a handler, and the response back through them.',
  config: {
    filters: list(ref(FilterKind)).meta({
      description: 'Filters in the order in which a request meets them; may be empty.',
    }),
    handler: ref(HandlerKind).meta({ description: 'Handler behind the last filter.' }),
  },
  create: ({ filters, handler }) => chain(filters, handler),
})
