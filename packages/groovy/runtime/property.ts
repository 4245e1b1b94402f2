// Reading and writing of `object.name`.

import { ScriptObject } from '../values/binding.ts'
import { ClassInfo, type PropertyAccess } from '../values/class-info.ts'
import { classOf } from '../values/class-of.ts'
import { libraryClass } from '../values/classes.ts'
import { ClosureValue } from '../values/closure.ts'
import { CollectionValue, ListValue, MapValue } from '../values/collection.ts'
import { MissingPropertyException, nullPointer } from '../values/exceptions.ts'
import { ArrayValue } from '../values/java-array.ts'
import type { MethodGroup } from '../values/method-group.ts'
import { ThrowableValue } from '../values/throwable.ts'
import { GroovyObject, Instance, type Value } from '../values/value.ts'
import { readInClosure, writeInClosure } from './closure-scope.ts'
import { collectItems } from './iterate.ts'
import { castFailure, missingInElement, missingProperty, readOnlyProperty } from './missing.ts'
import type { Maybe } from './pending.ts'

/** `self.name`; may return PENDING. */
export function getProperty(self: Value, name: string): Maybe {
  if (self === null) throw nullPointer(`Cannot get property '${name}' on null object`)
  if (self instanceof MapValue) return self.get(name) ?? null
  if (self instanceof ScriptObject) {
    const variable = self.binding.get(name)
    if (variable !== undefined) return variable
  }
  const access = accessOf(self, name)
  if (access !== null && access.get !== null) return access.get(self)
  return getOtherwise(self, name)
}

/** The property as the class declares it. */
function accessOf(self: Value, name: string): PropertyAccess | null {
  if (self instanceof ClassInfo) return self.staticProperty(name) ?? classOf(self).property(name)
  return classOf(self).property(name)
}

function getOtherwise(self: Value, name: string): Maybe {
  if (self instanceof ClosureValue) return readInClosure(self, name)
  if (self instanceof CollectionValue || self instanceof ArrayValue) return getFromEach(self, name)
  const klass = classOf(self)
  const general = generalMethod(klass.method('get'), [name]) ?? generalMethod(klass.method('propertyMissing'), [name])
  if (general !== null) return general.invoke(self, [name])
  throw missingProperty(name, self instanceof ClassInfo ? self : klass)
}

/** A method for any property name: `get(String)`, `propertyMissing(String)`. */
function generalMethod(group: MethodGroup | null, args: readonly Value[]): MethodGroup | null {
  return group?.select(args)?.parameters[0]?.name === 'String' || isUntyped(group, args) ? group : null
}

function isUntyped(group: MethodGroup | null, args: readonly Value[]): boolean {
  return group?.name === 'propertyMissing' && group.select(args) !== null
}

/** `list.name` is the list of the property of each element. */
function getFromEach(self: CollectionValue | ArrayValue, name: string): Maybe {
  const items = self.items.filter((each) => each !== null)
  return collectItems(items, (each) => {
    try {
      return getProperty(each, name)
    } catch (error) {
      if (!(error instanceof ThrowableValue) || error.klass !== MissingPropertyException) throw error
      throw self instanceof ListValue ? missingInElement(name, self, error) : error
    }
  })
}

/** `self.@name`: the field itself. */
export function getField(self: Value, name: string): Maybe {
  const index = fieldIndex(self, name)
  if (index !== null) return (self as Instance).fields[index] ?? null
  return getProperty(self, self instanceof GroovyObject ? self.fieldProperty(name) : name)
}

/** `self.@name = value`. */
export function setField(self: Value, name: string, value: Value): Maybe {
  const index = fieldIndex(self, name)
  if (index === null) return setProperty(self, name, value)
  ;(self as Instance).fields[index] = value
  return null
}

function fieldIndex(self: Value, name: string): number | null {
  return self instanceof Instance ? (self.klass.property(name)?.field ?? null) : null
}

function rejectValue(self: Value, name: string, value: Value): never {
  const type = classOf(self).setterType(name)
  throw castFailure(value, libraryClass(type) ?? classOf(self))
}

/** `self.name = value`; returns PENDING or the result of the setter. */
export function setProperty(self: Value, name: string, value: Value): Maybe {
  if (self === null) throw nullPointer(`Cannot set property '${name}' on null object`)
  if (self instanceof MapValue) {
    self.put(name, value)
    return null
  }
  const access = accessOf(self, name)
  if (access !== null && access.set !== null) {
    const outcome = access.set(self, value)
    return outcome === undefined ? rejectValue(self, name, value) : outcome
  }
  if (self instanceof ClosureValue && access === null) return writeInClosure(self, name, value)
  if (self instanceof ScriptObject && access === null) {
    self.binding.set(name, value)
    return null
  }
  const klass = self instanceof ClassInfo ? self : classOf(self)
  if (access !== null) throw readOnlyProperty(name, klass)
  const general =
    generalMethod(klass.method('set'), [name, value]) ?? generalMethod(klass.method('propertyMissing'), [name, value])
  if (general === null) throw missingProperty(name, klass)
  return general.invoke(self, [name, value])
}
