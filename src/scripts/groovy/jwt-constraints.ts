// `builder` of JWT validator customizers: constraints on claims, checked once the script has ended.
import {
  type ClassInfo,
  CollectionValue,
  callFunctional,
  compareValues,
  currentEvaluation,
  extend,
  GroovyObject,
  groovyEquals,
  invokeMethod,
  isNumber,
  ListValue,
  type Maybe,
  NativeClosure,
  settled,
  textOf,
  toLong,
  truth,
  type Value,
} from '@identity-gateway/groovy'
import { ClaimConstraints } from '../claim-constraints.ts'
import { extendWithHost, gatewayClass } from './host-class.ts'
import { convertHost, convertValue, toGroovy } from './host-values.ts'
import { JsonValueValue } from './json-data.ts'

const BuilderClass = gatewayClass('openig.tools.jwt.validation.JwtValidatorBuilder')
const ConstraintClass = gatewayClass('openig.tools.jwt.validation.Constraint')
const ConstraintsClass = gatewayClass('openig.tools.jwt.validation.Constraints')

class BuilderValue extends GroovyObject {
  readonly claims: JsonValueValue
  readonly violations: string[] = []

  constructor(claims: JsonValueValue) {
    super()
    this.claims = claims
  }

  get klass(): ClassInfo {
    return BuilderClass
  }
}

convertHost(ClaimConstraints, ({ claims }) => new BuilderValue(new JsonValueValue(toGroovy(claims))))
convertValue(BuilderValue, ({ violations }) => [...violations])

/** A constraint on a value, with its error message. */
class ConstraintValue extends GroovyObject {
  readonly reason: string
  readonly matches: (value: Value) => boolean

  constructor(reason: string, matches: (value: Value) => boolean) {
    super()
    this.reason = reason
    this.matches = matches
  }

  get klass(): ClassInfo {
    return ConstraintClass
  }
}

/** Adds a constraint on a claim, by name or pointer, after a conversion. */
function claim(self: BuilderValue, name: string, read: Value, constraint: Value): Value {
  const found = settled(invokeMethod(self.claims, 'get', [name]), 'a claim')
  const value = settled(callFunctional(read, [found]), 'the reading of a claim')
  const isSatisfied =
    constraint instanceof ConstraintValue
      ? value !== null && constraint.matches(value)
      : truth(settled(callFunctional(constraint, [value]), 'a constraint'))
  if (!isSatisfied) {
    const reason = constraint instanceof ConstraintValue ? constraint.reason : 'violates its constraint'
    self.violations.push(value === null ? `the claim ${name} is missing` : `the claim ${name} ${reason}`)
  }
  return self
}

extendWithHost(BuilderClass, {
  'claim(String name, Object read, Object constraint): JwtValidatorBuilder': claim,
  'build(): JwtValidatorBuilder': (self: BuilderValue) => self,
})

const constraintOf = (reason: string, matches: (value: Value) => boolean): ConstraintValue =>
  new ConstraintValue(reason, matches)

/** A value to compare with may be another claim, which the script has read already. */
const compared = (reason: string, matches: (order: number) => boolean) => (other: Value) =>
  constraintOf(`${reason} ${textOf(other)}`, (value) => other !== null && matches(compareValues(value, other)))

/** Milliseconds of a claim that holds seconds since the epoch. */
function millis(value: Value): number {
  return isNumber(value)
    ? Number(toLong(value)) * 1_000
    : Number(toLong(settled(invokeMethod(value, 'toEpochMilli', []), 'a time')))
}

const now = (): number => currentEvaluation().services.now()

const FUNCTIONS: Readonly<Record<string, (...args: Value[]) => Value>> = {
  isEqualTo: (other = null) => constraintOf(`is not ${textOf(other)}`, (value) => groovyEquals(value, other)),
  isNotEqualTo: (other = null) => constraintOf(`is ${textOf(other)}`, (value) => !groovyEquals(value, other)),
  isGreaterThan: (other = null) => compared('is not greater than', (order) => order > 0)(other),
  isGreaterThanOrEqualTo: (other = null) => compared('is less than', (order) => order >= 0)(other),
  isLessThan: (other = null) => compared('is not less than', (order) => order < 0)(other),
  isLessThanOrEqualTo: (other = null) => compared('is greater than', (order) => order <= 0)(other),
  isIn: (...others) => {
    const [first = null] = others
    const items = others.length === 1 && first instanceof CollectionValue ? first.items : others
    return constraintOf('is not one of the allowed values', (value) => items.some((each) => groovyEquals(each, value)))
  },
  contains: (other = null) =>
    constraintOf(`does not contain ${textOf(other)}`, (value) =>
      value instanceof CollectionValue
        ? value.items.some((each) => groovyEquals(each, other))
        : textOf(value).includes(textOf(other)),
    ),
  find: (pattern = null) => constraintOf('does not match its pattern', (value) => matches(pattern, value, 'find')),
  matches: (pattern = null) =>
    constraintOf('does not match its pattern', (value) => matches(pattern, value, 'matches')),
  isInThePast: () => constraintOf('is not in the past', (value) => millis(value) < now()),
  isInTheFuture: () => constraintOf('is not in the future', (value) => millis(value) > now()),
}

function matches(pattern: Value, value: Value, method: string): boolean {
  const matcher = settled(invokeMethod(pattern, 'matcher', [textOf(value)]), 'a match')
  return settled(invokeMethod(matcher, method, []), 'a match') === true
}

const anything = { name: 'Object', distance: () => 0, convert: (value: Value) => value }

/** A function of one value, for the second argument of `claim`. */
const reader = (read: (value: JsonValueValue) => Value): Value =>
  new NativeClosure(null, [anything], ([value = null]) => read(value as JsonValueValue))

const READERS: Readonly<Record<string, (...args: Value[]) => Value>> = {
  instant: () => reader(({ object }) => object),
  listOf: (read = null) =>
    reader(({ object }) =>
      object instanceof CollectionValue
        ? new ListValue(
            object.items.map((each) => settled(callFunctional(read, [new JsonValueValue(each)]), 'a claim')),
          )
        : object,
    ),
}

/** The names that scripts of customizers use without a receiver. */
export function constraintFunction(name: string, builder: Value): Value | undefined {
  const claims = builder instanceof BuilderValue ? builder.claims : null
  if (name === 'claim' && claims !== null) {
    return closure(([path = null]) => invokeMethod(claims, 'get', [path]))
  }
  const run = Object.hasOwn(FUNCTIONS, name)
    ? FUNCTIONS[name]
    : Object.hasOwn(READERS, name)
      ? READERS[name]
      : undefined
  return run === undefined ? undefined : closure((args) => run(...args))
}

const closure = (run: (args: readonly Value[]) => Maybe): Value => new NativeClosure(null, [anything], run)

// For `import static ...Constraints.*`.
extend(
  ConstraintsClass,
  Object.fromEntries(
    Object.entries({ ...FUNCTIONS, ...READERS }).map(([name, run]) => [
      `static ${name}(Object... values): Object`,
      (values: Value[]) => run(...values),
    ]),
  ),
)

extendWithHost(ConstraintClass, {
  'toString(): String': ({ reason }: ConstraintValue) => reason,
})
