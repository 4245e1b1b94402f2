import type { JsonValue } from '#json'
import type { Pointer } from '../pointer.ts'
import type { Assertion, QueryFilter } from './filter.ts'
import { type Comparison, standardComparison } from './standard-operators.ts'

/** True, false, or unknown. */
export type Truth = boolean | undefined

/** An extended operator: its result for one value of a field; undefined where unknown. */
type ExtendedOperator = (value: JsonValue, assertion: Assertion) => Truth

/** Extended operators by name. */
export type ExtendedOperators = Readonly<Record<string, ExtendedOperator>>

/** Result of a filter for an entry. */
export type Predicate<E> = (entry: E) => Truth

/** Reads a field of an entry; undefined where missing. */
export type FieldReader<E> = (entry: E) => JsonValue | undefined

/**
 * Compiles a filter in three-valued logic, so that neither an unknown operator nor its negation matches. Work that is the same
 * for all entries is done once here.
 */
export function compileFilter<E>(
  filter: QueryFilter,
  readerOf: (pointer: Pointer) => FieldReader<E>,
  operators: ExtendedOperators,
): Predicate<E> {
  const compile = (part: QueryFilter) => compileFilter(part, readerOf, operators)
  switch (filter.kind) {
    case 'literal':
      return () => filter.value
    case 'present': {
      const read = readerOf(filter.pointer)
      return (entry) => (read(entry) ?? null) !== null
    }
    case 'not': {
      const negated = compile(filter.filter)
      return (entry) => {
        const truth = negated(entry)
        return truth === undefined ? undefined : !truth
      }
    }
    case 'and':
      return decided(filter.filters.map(compile), false)
    case 'or':
      return decided(filter.filters.map(compile), true)
    case 'comparison':
      return fieldComparison(readerOf(filter.pointer), comparisonOf(filter, operators))
  }
}

/** `and` is false if one operand is, `or` true if one operand is; otherwise an unknown operand makes it unknown. */
function decided<E>(parts: readonly Predicate<E>[], deciding: boolean): Predicate<E> {
  return (entry) => {
    let result: Truth = !deciding
    for (const part of parts) {
      const truth = part(entry)
      if (truth === deciding) return deciding
      if (truth === undefined) result = undefined
    }
    return result
  }
}

function comparisonOf(
  { operator, value: assertion }: Extract<QueryFilter, { kind: 'comparison' }>,
  operators: ExtendedOperators,
): Comparison | null {
  const standard = standardComparison(operator, assertion)
  if (standard !== null) return standard
  const extended = Object.hasOwn(operators, operator) ? operators[operator] : undefined
  return extended === undefined ? null : (value) => extended(value, assertion)
}

/** A list matches where one of its elements does. A field that is missing or null matches nothing. */
function fieldComparison<E>(read: FieldReader<E>, compare: Comparison | null): Predicate<E> {
  if (compare === null) return () => undefined
  return (entry) => {
    const found = read(entry) ?? null
    if (!Array.isArray(found)) return found === null ? false : compare(found)
    let result: Truth = false
    for (const element of found) {
      const truth = compare(element)
      if (truth === true) return true
      if (truth === undefined) result = undefined
    }
    return result
  }
}
