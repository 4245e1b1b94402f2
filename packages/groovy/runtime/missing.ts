// Exceptions for missing members, with Groovy's messages.

import { ClassInfo } from '../values/class-info.ts'
import { classOf } from '../values/class-of.ts'
import { ObjectClass } from '../values/classes.ts'
import type { ListValue } from '../values/collection.ts'
import {
  GroovyCastException,
  GroovyRuntimeException,
  MissingMethodException,
  MissingPropertyException,
  nullPointer,
  ReadOnlyPropertyException,
} from '../values/exceptions.ts'
import { ObjectArray } from '../values/java-array.ts'
import { textOf } from '../values/text.ts'
import { type ThrowableValue, throwable } from '../values/throwable.ts'
import type { Value } from '../values/value.ts'

/** Maximum length of one value in a message. */
const SHOWN = 60

/** A value as messages show it. */
export function shown(value: Value): string {
  const text = textOf(value)
  return text.length > SHOWN ? `${text.slice(0, SHOWN - 3)}...` : text
}

export function missingMethod(
  self: Value,
  name: string,
  args: readonly Value[],
  klass = receiverClass(self),
): ThrowableValue {
  if (self === null) return nullPointer(`Cannot invoke method ${name}() on null object`)
  const types = args.map((each) => (each === null ? 'null' : classOf(each).simpleName)).join(', ')
  const where = self instanceof ClassInfo ? 'static ' : ''
  const made = throwable(
    MissingMethodException,
    `No signature of method: ${where}${klass.name}.${name}() is applicable for argument types: (${types}) values: [${args.map(shown).join(', ')}]`,
  )
  made.details = { method: name, type: klass, arguments: new ObjectArray(ObjectClass, [...args]) }
  return made
}

function receiverClass(self: Value): ClassInfo {
  return self instanceof ClassInfo ? self : classOf(self)
}

export function missingProperty(name: string, klass: ClassInfo): ThrowableValue {
  const made = throwable(MissingPropertyException, `No such property: ${name} for class: ${klass.name}`)
  made.details = { property: name, type: klass }
  return made
}

/** For `list.name`, where an element has no such property. */
export function missingInElement(name: string, list: ListValue, cause: ThrowableValue): ThrowableValue {
  const made = throwable(
    MissingPropertyException,
    `Exception evaluating property '${name}' for ${list.klass.name}, Reason: ${cause.klass.name}: ${cause.message}`,
  )
  made.details = { property: name, type: list.klass }
  return made
}

export function readOnlyProperty(name: string, klass: ClassInfo): ThrowableValue {
  const made = throwable(ReadOnlyPropertyException, `Cannot set readonly property: ${name} for class: ${klass.name}`)
  made.details = { property: name, type: klass }
  return made
}

const BOXED: ReadonlyMap<string, string> = new Map([
  ['byte', 'java.lang.Byte'],
  ['char', 'java.lang.Character'],
  ['double', 'java.lang.Double'],
  ['float', 'java.lang.Float'],
  ['int', 'java.lang.Integer'],
  ['long', 'java.lang.Long'],
  ['short', 'java.lang.Short'],
])

export function castFailure(value: Value, klass: ClassInfo, because = ''): ThrowableValue {
  const from = value === null ? 'null' : classOf(value).name
  const boxed = value === null && klass.kind === 'primitive' ? BOXED.get(klass.name) : undefined
  const reason = boxed !== undefined ? `. Try '${boxed}' instead` : because === '' ? '' : ` due to: ${because}`
  return throwable(
    GroovyCastException,
    `Cannot cast object '${textOf(value)}' with class '${from}' to class '${klass.name}'${reason}`,
  )
}

export function constructorMissing(klass: ClassInfo, args: readonly Value[]): ThrowableValue {
  const types = args.map((each) => (each === null ? 'null' : classOf(each).name)).join(', ')
  return throwable(GroovyRuntimeException, `Could not find matching constructor for: ${klass.name}(${types})`)
}
