import { FilterKind, HandlerKind } from '#contracts'
import { chain } from '#http'
import { defineType, list, ref } from '#schema'

/** A sequence of filters, then a handler. */
export const Chain = defineType({
  name: 'Chain',
  kind: HandlerKind,
  summary: 'Passes a request through filters to a handler, and the response back through them.',
  config: {
    filters: list(ref(FilterKind)).meta({
      description: 'Filters in the order in which a request passes them; may be empty.',
    }),
    handler: ref(HandlerKind).meta({ description: 'Handler after the last filter.' }),
  },
  create: ({ filters, handler }) => chain(filters, handler),
})
