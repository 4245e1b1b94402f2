import { FilterKind } from '#contracts'
import type { Filter } from '#http'
import { defineType, type Runtime, ref, runtime } from '#schema'

/** Runs another filter only for requests that a condition selects. */
export const ConditionalFilter = defineType({
  name: 'ConditionalFilter',
  kind: FilterKind,
  summary: 'Runs another filter only where a condition holds.',
  config: {
    condition: runtime('boolean').meta({
      description: 'True: the request passes through the delegate. False or null: the delegate is left out.',
    }),
    delegate: ref(FilterKind).meta({ description: 'Filter that is run where the condition holds.' }),
  },
  create: ({ condition, delegate }) => runWhere(condition, delegate),
})

/**
 * The delegate may be what keeps a door shut, so a condition that fails, or gives something that is neither true
 * nor false, is a fault: it must not leave the delegate out.
 */
function runWhere(condition: Runtime<boolean>, delegate: Filter): Filter {
  return async (exchange, next) => ((await condition(exchange)) === true ? delegate(exchange, next) : next(exchange))
}
