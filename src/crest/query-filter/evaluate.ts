import type { JsonValue } from '#json'
import { valueAt } from '../pointer.ts'
import { compileFilter, type ExtendedOperators, type Predicate, type Truth } from './compile.ts'
import type { QueryFilter } from './filter.ts'

const NO_OPERATORS: ExtendedOperators = {}

/** Compiled filters, each with the operators it was last compiled for. */
const compiled = new WeakMap<QueryFilter, { operators: ExtendedOperators; predicate: Predicate<JsonValue> }>()

/** Whether a resource matches; unknown does not. */
export function matches(filter: QueryFilter, resource: JsonValue, operators = NO_OPERATORS): boolean {
  return evaluate(filter, resource, operators) === true
}

/** Result of a filter for a resource, in three-valued logic. */
export function evaluate(filter: QueryFilter, resource: JsonValue, operators = NO_OPERATORS): Truth {
  let known = compiled.get(filter)
  if (known?.operators !== operators) {
    const predicate = compileFilter<JsonValue>(filter, (pointer) => (json) => valueAt(json, pointer), operators)
    known = { operators, predicate }
    compiled.set(filter, known)
  }
  return known.predicate(resource)
}
