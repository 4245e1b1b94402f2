import type { JsonValue } from '#json'
import { valueAt } from '../pointer.ts'
import type { Assertion, QueryFilter } from './filter.ts'

/** True, false, or unknown. */
export type Truth = boolean | undefined

/** An extended operator: what it says of one value of a field; undefined where it can not say. */
export type ExtendedOperator = (value: JsonValue, assertion: Assertion) => Truth

/** Extended operators by name. */
export type ExtendedOperators = Readonly<Record<string, ExtendedOperator>>

/** Whether a resource matches: only what is true does, what is unknown does not. */
export function matches(filter: QueryFilter, resource: JsonValue, operators: ExtendedOperators = {}): boolean {
  return evaluate(filter, resource, operators) === true
}

/** Evaluates in three-valued logic, so that neither an operator nobody knows nor its negation matches. */
export function evaluate(filter: QueryFilter, resource: JsonValue, operators: ExtendedOperators = {}): Truth {
  switch (filter.kind) {
    case 'literal':
      return filter.value
    case 'present':
      return (valueAt(resource, filter.pointer) ?? null) !== null
    case 'not':
      return negate(evaluate(filter.filter, resource, operators))
    case 'and':
      return decided(filter.filters, false, resource, operators)
    case 'or':
      return decided(filter.filters, true, resource, operators)
    case 'comparison':
      return compareField(filter, resource, operators)
  }
}

/** `and` is decided by one that is false, `or` by one that is true; else one that is unknown makes it unknown. */
function decided(
  filters: readonly QueryFilter[],
  deciding: boolean,
  resource: JsonValue,
  operators: ExtendedOperators,
): Truth {
  let result: Truth = !deciding
  for (const filter of filters) {
    const truth = evaluate(filter, resource, operators)
    if (truth === deciding) return deciding
    if (truth === undefined) result = undefined
  }
  return result
}

function negate(truth: Truth): Truth {
  return truth === undefined ? undefined : !truth
}

/** A list matches where one of its elements does. A field that is missing or null matches nothing. */
function compareField(
  { pointer, operator, value: assertion }: Extract<QueryFilter, { kind: 'comparison' }>,
  resource: JsonValue,
  operators: ExtendedOperators,
): Truth {
  const compare = comparison(operator, operators)
  if (compare === undefined) return undefined
  const found = valueAt(resource, pointer) ?? null
  if (!Array.isArray(found)) return found === null ? false : compare(found, assertion)
  let result: Truth = false
  for (const element of found) {
    const truth = compare(element, assertion)
    if (truth === true) return true
    if (truth === undefined) result = undefined
  }
  return result
}

function comparison(operator: string, operators: ExtendedOperators): ExtendedOperator | undefined {
  if (Object.hasOwn(STANDARD, operator)) return STANDARD[operator]
  return Object.hasOwn(operators, operator) ? operators[operator] : undefined
}

const STANDARD: ExtendedOperators = {
  eq: (value, assertion) => order(value, assertion) === 0,
  lt: (value, assertion) => (order(value, assertion) ?? 0) < 0,
  le: (value, assertion) => (order(value, assertion) ?? 1) <= 0,
  gt: (value, assertion) => (order(value, assertion) ?? 0) > 0,
  ge: (value, assertion) => (order(value, assertion) ?? -1) >= 0,
  co: (value, assertion) => textTest(value, assertion, (text, part) => text.includes(part)),
  sw: (value, assertion) => textTest(value, assertion, (text, part) => text.startsWith(part)),
}

/** How a value stands to an assertion of its own type, texts without case; null where the types differ. */
function order(value: JsonValue, assertion: Assertion): number | null {
  if (typeof value === 'string' && typeof assertion === 'string') {
    return sign(value.toLowerCase(), assertion.toLowerCase())
  }
  if (typeof value === 'number' && typeof assertion === 'number') return sign(value, assertion)
  if (typeof value === 'boolean' && typeof assertion === 'boolean') return Number(value) - Number(assertion)
  return null
}

function sign<T extends string | number>(a: T, b: T): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** What is no text contains and starts with nothing but itself. */
function textTest(value: JsonValue, assertion: Assertion, test: (text: string, part: string) => boolean): boolean {
  if (typeof value !== 'string' || typeof assertion !== 'string') return order(value, assertion) === 0
  return test(value.toLowerCase(), assertion.toLowerCase())
}
