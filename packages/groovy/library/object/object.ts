// Members of every value.

import { checkText } from '../../meter.ts'
import { extend } from '../../registry/extend.ts'
import { coerceTo } from '../../runtime/coerce.ts'
import { currentEvaluation } from '../../runtime/evaluation.ts'
import { IteratorValue, iterationOf } from '../../runtime/items.ts'
import { andThen, type Maybe } from '../../runtime/pending.ts'
import { setProperty } from '../../runtime/property.ts'
import type { ClassInfo } from '../../values/class-info.ts'
import { classOf } from '../../values/class-of.ts'
import { ClassClass, NullClass, ObjectClass } from '../../values/classes.ts'
import { type ClosureValue, DELEGATE_FIRST } from '../../values/closure.ts'
import { CollectionValue, MapValue } from '../../values/collection.ts'
import { groovyEquals, javaEquals } from '../../values/equality.ts'
import { nullPointer } from '../../values/exceptions.ts'
import { hashOf, identityHash } from '../../values/hash.ts'
import { builtInText, classText, inspectText, textOf } from '../../values/text.ts'
import { builtInTruth } from '../../values/truth.ts'
import { type GroovyObject, Instance, type Value } from '../../values/value.ts'
import { formatted } from '../text/format.ts'

/** Runs a copy of a closure with an object as its delegate, resolved first. */
function withDelegate(self: Value, closure: ClosureValue): Maybe {
  const copy = closure.copy()
  copy.delegate = self
  copy.resolveStrategy = DELEGATE_FIRST
  return copy.call([self])
}

/** The result of Java's `Object.toString`. */
function identityText(self: Value): string {
  return `${classOf(self).name}@${identityHash(self as GroovyObject).toString(16)}`
}

/** `equals` of collections compares numbers across their types, as `==` does. */
function equalsMethod(self: Value, other: Value): boolean {
  return self instanceof CollectionValue || self instanceof MapValue
    ? groovyEquals(self, other)
    : javaEquals(self, other)
}

function print(text: string): null {
  checkText(text.length)
  currentEvaluation().output(text)
  return null
}

extend(ObjectClass, {
  'new(): Object': () => new Instance(ObjectClass),
  'class: Class': { get: (self: Value) => classOf(self) },
  'getClass(): Class': (self: Value) => classOf(self),
  'toString(): String': (self: Value) => builtInText(self) ?? identityText(self),
  'equals(Object other): boolean': equalsMethod,
  'hashCode(): int': (self: Value) => hashOf(self),
  'is(Object other): boolean': (self: Value, other: Value) => self === other,
  'asBoolean(): boolean': (self: Value) => builtInTruth(self) ?? true,
  'asType(Class type): Object': (self: Value, type: ClassInfo) => coerceTo(self, type),
  'inspect(): String': (self: Value) => inspectText(self),
  'isCase(Object value): boolean': (self: Value, value: Value) => groovyEquals(self, value),
  'with(Closure closure): Object': withDelegate,
  'with(boolean returning, Closure closure): Object': (self: Value, returning: boolean, closure: ClosureValue) =>
    andThen(withDelegate(self, closure), (result) => (returning ? self : result)),
  'tap(Closure closure): Object': (self: Value, closure: ClosureValue) =>
    andThen(withDelegate(self, closure), () => self),
  'identity(Closure closure): Object': withDelegate,
  'iterator(): Iterator': (self: Value) => new IteratorValue(iterationOf(self)),
  'putAt(String property, Object value): void': (self: Value, name: string, value: Value) =>
    andThen(setProperty(self, name, value), () => null),
  'print(Object value): void': (_: Value, value: Value) => print(textOf(value)),
  'println(): void': () => print('\n'),
  'println(Object value): void': (_: Value, value: Value) => print(`${textOf(value)}\n`),
  'printf(String format, Object... values): void': (_: Value, format: string, values: Value[]) =>
    print(formatted(format, values)),
  'sprintf(String format, Object... values): String': (_: Value, format: string, values: Value[]) =>
    formatted(format, values),
})

extend(ClassClass, {
  'name: String': { get: (self: ClassInfo) => self.name },
  'getName(): String': (self: ClassInfo) => self.name,
  'simpleName: String': { get: (self: ClassInfo) => self.simpleName },
  'getSimpleName(): String': (self: ClassInfo) => self.simpleName,
  'toString(): String': (self: ClassInfo) => classText(self),
  'isInstance(Object value): boolean': (self: ClassInfo, value: Value) =>
    value !== null && classOf(value).isSubclassOf(self),
  'isCase(Object value): boolean': (self: ClassInfo, value: Value) =>
    value !== null && classOf(value).isSubclassOf(self),
})

extend(NullClass, {
  'toString(): String': () => 'null',
  'equals(Object other): boolean': (_: null, other: Value) => other === null,
  'plus(String text): String': (_: null, text: string) => `null${text}`,
  'plus(Object value): Object': (_: null, value: Value) => {
    throw nullPointer(`Cannot execute null+${textOf(value)}`)
  },
  'iterator(): Iterator': () => new IteratorValue([]),
  'hashCode(): int': () => {
    throw nullPointer('Cannot invoke method hashCode() on null object')
  },
})
