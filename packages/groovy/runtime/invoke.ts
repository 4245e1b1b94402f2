// Calls of methods by name.
import { ScriptObject } from '../values/binding.ts'
import { ClassInfo } from '../values/class-info.ts'
import { classOf } from '../values/class-of.ts'
import { ObjectClass } from '../values/classes.ts'
import { ClosureValue } from '../values/closure.ts'
import { MapValue } from '../values/collection.ts'
import { ObjectArray } from '../values/java-array.ts'
import type { MethodGroup } from '../values/method-group.ts'
import { textOf } from '../values/text.ts'
import { GroovyObject, type Value } from '../values/value.ts'
import { callInClosure } from './closure-scope.ts'
import { eachItem } from './iterate.ts'
import { constructorMissing, missingMethod } from './missing.ts'
import { andThen, type Maybe, PENDING } from './pending.ts'
import { setProperty } from './property.ts'

/** Calls a method of a value; may return PENDING. */
export function invokeMethod(self: Value, name: string, args: Value[]): Maybe {
  return invokeThrough(methodsOf(self, name), self, name, args)
}

/** The candidate overloads of a call on this value; static ones for a class. */
export function methodsOf(self: Value, name: string): MethodGroup | null {
  if (self instanceof ClassInfo) return self.staticMethod(name) ?? classOf(self).method(name)
  return classOf(self).method(name)
}

/** As `invokeMethod`, for a caller that has looked up the overloads. */
export function invokeThrough(group: MethodGroup | null, self: Value, name: string, args: Value[]): Maybe {
  if (group !== null) {
    const result = group.tryInvoke(self, args)
    if (result !== undefined) return result
  }
  return invokeOtherwise(self, name, args)
}

/** Fallbacks of a call for which the class has no method. */
function invokeOtherwise(self: Value, name: string, args: Value[]): Maybe {
  if (self instanceof ClassInfo) {
    const result = classOf(self).method(name)?.tryInvoke(self, args)
    if (result !== undefined) return result
  }
  if (self === null) throw missingMethod(self, name, args)
  const callable = callableProperty(self, name)
  if (callable !== null) return callValue(callable, args)
  if (self instanceof ClosureValue && name !== 'call') return callInClosure(self, name, args)
  if (args.length === 0) {
    // A method with one parameter can be called without it, and gets null.
    const result = methodsOf(self, name)?.tryInvoke(self, [null])
    if (result !== undefined) return result
  }
  const missing = classOf(self).method('methodMissing')
  if (missing !== null) {
    const result = missing.tryInvoke(self, [name, new ObjectArray(ObjectClass, args)])
    if (result !== undefined) return result
  }
  throw missingMethod(self, name, args)
}

/** A closure in a property, or in a map entry, with the name of the method. */
function callableProperty(self: Value, name: string): Value {
  if (self instanceof MapValue) {
    const value = self.get(name) ?? null
    return value instanceof ClosureValue ? value : null
  }
  if (self instanceof ScriptObject) {
    const variable = self.binding.get(name)
    if (variable !== undefined) return variable
  }
  const access = self instanceof ClassInfo ? self.staticProperty(name) : classOf(self).property(name)
  const value = access?.get?.(self) ?? null
  return value instanceof ClosureValue ? value : null
}

/** `value(args)`: calls a closure, or the method `call` of anything else. */
export function callValue(value: Value, args: Value[]): Maybe {
  if (value instanceof ClosureValue) return value.call(args)
  return invokeMethod(value, 'call', args)
}

/** Calls a functional interface: a closure, or an object with the method of the interface. */
export function callFunctional(value: Value, args: Value[]): Maybe {
  if (value instanceof ClosureValue) return value.call(args)
  const name = functionalMethod(classOf(value))
  if (name === null) throw missingMethod(value, 'call', args)
  return invokeMethod(value, name, args)
}

/** The one abstract method of the functional interface that a class implements. */
function functionalMethod(klass: ClassInfo): string | null {
  for (const each of klass.lineage) if (each.functional !== null) return each.functional
  return null
}

/** Calls a constructor. */
export function construct(klass: ClassInfo, args: Value[]): Maybe {
  const made = klass.creation.tryInvoke(klass, args)
  if (made !== undefined) return made
  if (args.length === 0) {
    const result = klass.creation.tryInvoke(klass, [null])
    if (result !== undefined) return result
  }
  const [first] = args
  if (args.length === 1 && first instanceof MapValue && klass.creation.accepts(0)) return withProperties(klass, first)
  throw constructorMissing(klass, args)
}

/** `new X(a: 1)`: an object whose properties are set one by one. */
function withProperties(klass: ClassInfo, values: MapValue): Maybe {
  return andThen(construct(klass, []), (made) =>
    eachItem(
      values.entries(),
      ({ key, value }) => setProperty(made, textOf(key), value),
      () => made,
    ),
  )
}

/** Whether a value is valid in scripts; all values of a host must be. */
export function isValue(value: unknown): value is Value {
  if (value === PENDING) return false
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true
    case 'number':
      return (value | 0) === value
    case 'bigint':
      return BigInt.asIntN(64, value) === value
    case 'object':
      return value === null || value instanceof GroovyObject
  }
  return false
}
