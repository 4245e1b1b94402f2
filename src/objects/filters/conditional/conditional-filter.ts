import { FilterKind } from '#contracts'
import type { Filter } from '#http'
import { booleanCondition, defineType, type Runtime, ref } from '#schema'

/** Runs another filter only for requests that a condition selects. */
export const ConditionalFilter = defineType({
  name: 'ConditionalFilter',
  kind: FilterKind,
  summary: 'Applies another filter to requests that fulfil a condition.',
  config: {
    condition: booleanCondition().meta({
      description: 'True: the delegate handles the request. False or null: the delegate is skipped.',
    }),
    delegate: ref(FilterKind).meta({ description: 'Filter that runs if the condition is true.' }),
  },
  create: ({ condition, delegate }) => runWhere(condition, delegate),
})

/**
 * A condition that fails, or returns neither true nor false, is a fault: skipping the delegate could skip an access check.
 */
function runWhere(condition: Runtime<boolean>, delegate: Filter): Filter {
  return async (exchange, next) => ((await condition(exchange)) === true ? delegate(exchange, next) : next(exchange))
}
