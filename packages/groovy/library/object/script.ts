// The script itself, its binding, and enums.
import { extend } from '../../registry/extend.ts'
import { missingProperty } from '../../runtime/missing.ts'
import { BindingMap, BindingValue, type ScriptObject } from '../../values/binding.ts'
import type { ClassInfo } from '../../values/class-info.ts'
import { BindingClass, EnumClass, ScriptClass } from '../../values/classes.ts'
import { EnumValue } from '../../values/enum-value.ts'
import { ClassCastException } from '../../values/exceptions.ts'
import type { ArrayValue } from '../../values/java-array.ts'
import { throwable } from '../../values/throwable.ts'
import type { Value } from '../../values/value.ts'

function variable(self: BindingValue, name: string): Value {
  const value = self.get(name)
  if (value === undefined) throw missingProperty(name, BindingClass)
  return value
}

extend(BindingClass, {
  'new()': () => new BindingValue(),
  'getVariable(String name): Object': variable,
  'setVariable(String name, Object value): void': (self: BindingValue, name: string, value: Value) =>
    self.set(name, value),
  'hasVariable(String name): boolean': (self: BindingValue, name: string) => self.get(name) !== undefined,
  'removeVariable(String name): void': (self: BindingValue, name: string) => self.delete(name),
  'getVariables(): Map': (self: BindingValue) => new BindingMap(self),
  'get(String name): Object': variable,
  'set(String name, Object value): void': (self: BindingValue, name: string, value: Value) => self.set(name, value),
})

extend(ScriptClass, {
  'getBinding(): Binding': (self: ScriptObject) => self.binding,
})

function constantsOf(klass: ClassInfo): readonly Value[] {
  return (klass.staticMethod('values')!.invoke(klass, []) as ArrayValue).items
}

/** The previous or next constant, cyclically. */
function adjacentConstant(self: EnumValue, step: number): Value {
  const constants = constantsOf(self.klass)
  return constants[(self.ordinal + step + constants.length) % constants.length] as Value
}

extend(EnumClass, {
  'name(): String': (self: EnumValue) => self.constant,
  'ordinal(): int': (self: EnumValue) => self.ordinal,
  'toString(): String': (self: EnumValue) => self.constant,
  'compareTo(Object other): int': (self: EnumValue, other: Value) => {
    if (!(other instanceof EnumValue) || other.klass !== self.klass) throw throwable(ClassCastException, null)
    return self.ordinal - other.ordinal
  },
  'getDeclaringClass(): Class': (self: EnumValue) => self.klass,
  'next(): Object': (self: EnumValue) => adjacentConstant(self, 1),
  'previous(): Object': (self: EnumValue) => adjacentConstant(self, -1),
})
