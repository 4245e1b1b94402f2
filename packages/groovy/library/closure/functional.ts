// Members of functional interfaces; those without implementation are the abstract ones that a closure implements.
import { ABSTRACT, extend } from '../../registry/extend.ts'
import { andThen, type Maybe, settled } from '../../runtime/pending.ts'
import { getProperty } from '../../runtime/property.ts'
import {
  AutoCloseableInterface,
  CallableInterface,
  ComparableInterface,
  ComparatorInterface,
  RunnableInterface,
} from '../../values/classes.ts'
import { NativeClosure } from '../../values/closure.ts'
import { compareValues } from '../../values/compare.ts'
import * as functional from '../../values/functional.ts'
import { InterfaceProxy } from '../../values/interface-proxy.ts'
import { isNumber, toInt } from '../../values/number-tower.ts'
import { untypedParameter } from '../../values/parameters.ts'
import { truth } from '../../values/truth.ts'
import type { Value } from '../../values/value.ts'
import { call } from './closure-calls.ts'

extend(RunnableInterface, { 'run(): void': ABSTRACT })
extend(CallableInterface, { 'call(): Object': ABSTRACT })
extend(AutoCloseableInterface, { 'close(): void': ABSTRACT })
extend(ComparableInterface, {
  'compareTo(Object other): int': (self: Value, other: Value) => compareValues(self, other),
})

/** An object of a functional interface that runs a function. */
function implementing(type: Parameters<typeof extend>[0], count: number, run: (...args: Value[]) => Maybe): Value {
  const parameters = Array.from({ length: count }, () => untypedParameter)
  return new InterfaceProxy(type, new NativeClosure(null, parameters, (args) => run(...args)))
}

const comparator = (compare: (left: Value, right: Value) => Maybe): Value =>
  implementing(ComparatorInterface, 2, compare)

function orderOf(value: Maybe): number {
  const settledValue = settled(value, 'a comparison')
  return isNumber(settledValue) ? toInt(settledValue) : 0
}

function comparingBy(key: Value, then: Value | null = null): (left: Value, right: Value) => Maybe {
  return (left, right) => {
    const [a, b] = [settled(call(key, left), 'a comparison'), settled(call(key, right), 'a comparison')]
    return then === null ? compareValues(a, b) : call(then, a, b)
  }
}

extend(ComparatorInterface, {
  'compare(Object left, Object right): int': ABSTRACT,
  'reversed(): Comparator': (self: Value) => comparator((left, right) => call(self, right, left)),
  'thenComparing(Comparator other): Comparator': (self: Value, other: Value) =>
    comparator((left, right) => {
      const first = orderOf(call(self, left, right))
      return first !== 0 ? first : comparesPairs(other) ? call(other, left, right) : comparingBy(other)(left, right)
    }),
  'static naturalOrder(): Comparator': () => comparator(compareValues),
  'static reverseOrder(): Comparator': () => comparator((left, right) => compareValues(right, left)),
  'static comparing(Function key): Comparator': (key: Value) => comparator(comparingBy(key)),
  'static comparing(Function key, Comparator order): Comparator': (key: Value, order: Value) =>
    comparator(comparingBy(key, order)),
  'static comparingInt(ToIntFunction key): Comparator': (key: Value) => comparator(comparingBy(key)),
  'static comparingLong(ToLongFunction key): Comparator': (key: Value) => comparator(comparingBy(key)),
  'static comparingDouble(ToDoubleFunction key): Comparator': (key: Value) => comparator(comparingBy(key)),
  'static nullsFirst(Comparator order): Comparator': (order: Value) =>
    comparator((left, right) =>
      left === null || right === null ? compareValues(left, right) : call(order, left, right),
    ),
  'static nullsLast(Comparator order): Comparator': (order: Value) =>
    comparator((left, right) =>
      left === null || right === null ? compareValues(right, left) : call(order, left, right),
    ),
})

/** A closure with one parameter returns a sort key, one with two compares. */
function comparesPairs(callee: Value): boolean {
  const count = getParameterCount(callee)
  return count === null || count > 1
}

function getParameterCount(callee: Value): number | null {
  if (callee instanceof InterfaceProxy) return null
  return getProperty(callee, 'maximumNumberOfParameters') as number
}

extend(functional.FunctionInterface, {
  'apply(Object value): Object': ABSTRACT,
  'andThen(Function after): Function': (self: Value, next: Value) =>
    implementing(functional.FunctionInterface, 1, (value) =>
      andThen(call(self, value as Value), (late) => call(next, late)),
    ),
  'compose(Function before): Function': (self: Value, before: Value) =>
    implementing(functional.FunctionInterface, 1, (value) =>
      andThen(call(before, value as Value), (late) => call(self, late)),
    ),
  'static identity(): Function': () => implementing(functional.FunctionInterface, 1, (value) => value as Value),
})
extend(functional.BiFunctionInterface, {
  'apply(Object first, Object second): Object': ABSTRACT,
  'andThen(Function after): BiFunction': (self: Value, next: Value) =>
    implementing(functional.BiFunctionInterface, 2, (first, second) =>
      andThen(call(self, first as Value, second as Value), (late) => call(next, late)),
    ),
})
extend(functional.UnaryOperatorInterface, {
  'static identity(): UnaryOperator': () =>
    implementing(functional.UnaryOperatorInterface, 1, (value) => value as Value),
})
extend(functional.SupplierInterface, { 'get(): Object': ABSTRACT })
extend(functional.ConsumerInterface, {
  'accept(Object value): void': ABSTRACT,
  'andThen(Consumer after): Consumer': (self: Value, next: Value) =>
    implementing(functional.ConsumerInterface, 1, (value) =>
      andThen(call(self, value as Value), () => call(next, value as Value)),
    ),
})
extend(functional.BiConsumerInterface, { 'accept(Object first, Object second): void': ABSTRACT })

const predicate = (count: number, run: (...args: Value[]) => Maybe): Value =>
  implementing(count === 1 ? functional.PredicateInterface : functional.BiPredicateInterface, count, run)

extend(functional.PredicateInterface, {
  'test(Object value): boolean': ABSTRACT,
  'negate(): Predicate': (self: Value) =>
    predicate(1, (value) => andThen(call(self, value as Value), (yes) => !truth(yes))),
  'and(Predicate other): Predicate': (self: Value, other: Value) =>
    predicate(1, (value) =>
      andThen(call(self, value as Value), (yes) => (truth(yes) ? call(other, value as Value) : false)),
    ),
  'or(Predicate other): Predicate': (self: Value, other: Value) =>
    predicate(1, (value) =>
      andThen(call(self, value as Value), (yes) => (truth(yes) ? true : call(other, value as Value))),
    ),
  'static not(Predicate condition): Predicate': (condition: Value) =>
    predicate(1, (value) => andThen(call(condition, value as Value), (yes) => !truth(yes))),
})
extend(functional.BiPredicateInterface, { 'test(Object first, Object second): boolean': ABSTRACT })
extend(functional.BooleanSupplierInterface, { 'getAsBoolean(): boolean': ABSTRACT })
extend(functional.IntSupplierInterface, { 'getAsInt(): int': ABSTRACT })
extend(functional.IntFunctionInterface, { 'apply(int value): Object': ABSTRACT })
extend(functional.IntPredicateInterface, { 'test(int value): boolean': ABSTRACT })
extend(functional.IntUnaryOperatorInterface, { 'applyAsInt(int value): int': ABSTRACT })
extend(functional.IntBinaryOperatorInterface, { 'applyAsInt(int first, int second): int': ABSTRACT })
extend(functional.LongSupplierInterface, { 'getAsLong(): long': ABSTRACT })
extend(functional.ToIntFunctionInterface, { 'applyAsInt(Object value): int': ABSTRACT })
extend(functional.ToLongFunctionInterface, { 'applyAsLong(Object value): long': ABSTRACT })
extend(functional.ToDoubleFunctionInterface, { 'applyAsDouble(Object value): double': ABSTRACT })
