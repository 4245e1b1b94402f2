// Members of exceptions. Every exception class has constructors with a message, a cause, both, or neither.
import { extend } from '../../registry/extend.ts'
import { currentEvaluation } from '../../runtime/evaluation.ts'
import { invokeMethod } from '../../runtime/invoke.ts'
import { missingMethod, missingProperty } from '../../runtime/missing.ts'
import { settled } from '../../runtime/pending.ts'
import type { ClassInfo } from '../../values/class-info.ts'
import { libraryClasses, ObjectClass } from '../../values/classes.ts'
import { AssertionError, MissingMethodException, MissingPropertyException } from '../../values/exceptions.ts'
import { ObjectArray } from '../../values/java-array.ts'
import { textOf } from '../../values/text.ts'
import {
  declareException,
  ThrowableClass,
  type ThrowableValue,
  throwable,
  throwableText,
} from '../../values/throwable.ts'
import type { Value } from '../../values/value.ts'

function withCause(klass: ClassInfo, message: string | null, cause: ThrowableValue | null): ThrowableValue {
  return throwable(klass, message, cause)
}

/** Adds the constructors of an exception class. */
export function addExceptionConstructors(klass: ClassInfo): void {
  extend(klass, {
    'new()': () => throwable(klass, null),
    'new(String? message)': (message: string | null) => throwable(klass, message),
    'new(String? message, Throwable? cause)': (message: string | null, cause: ThrowableValue | null) =>
      withCause(klass, message, cause),
    'new(Throwable? cause)': (cause: ThrowableValue | null) =>
      withCause(klass, cause === null ? null : throwableText(cause), cause),
  })
}

/** A class of exceptions that scripts can throw and catch. */
export function defineException(name: string, parent: ClassInfo): ClassInfo {
  const made = declareException(name, parent)
  addExceptionConstructors(made)
  return made
}

for (const klass of libraryClasses()) if (klass.isSubclassOf(ThrowableClass)) addExceptionConstructors(klass)

extend(AssertionError, { 'new(Object message)': (message: Value) => throwable(AssertionError, textOf(message)) })

function rootOf(self: ThrowableValue): ThrowableValue {
  let root = self
  for (let depth = 0; root.cause !== null && depth < 100; depth++) root = root.cause
  return root
}

/** The exception and the location where it was first thrown: scripts have no Java stack traces. */
export function stackText(self: ThrowableValue): string {
  const location = self.location === null ? 'unknown' : `${self.location.file}:${self.location.line}`
  return `${throwableText(self)}\n\tat ${location}\n`
}

extend(ThrowableClass, {
  'getMessage(): String': (self: ThrowableValue) => self.message,
  'getLocalizedMessage(): String': (self: ThrowableValue) => self.message,
  'getCause(): Throwable': (self: ThrowableValue) => self.cause,
  'initCause(Throwable? cause): Throwable': (self: ThrowableValue, cause: ThrowableValue | null) => {
    self.cause = cause
    return self
  },
  'getSuppressed(): Throwable[]': (self: ThrowableValue) => new ObjectArray(ThrowableClass, [...self.suppressed]),
  'addSuppressed(Throwable other): void': (self: ThrowableValue, other: ThrowableValue) => {
    self.suppressed.push(other)
  },
  'getStackTrace(): Object[]': () => new ObjectArray(ObjectClass, []),
  'printStackTrace(): void': (self: ThrowableValue) => currentEvaluation().output(stackText(self)),
  'getRootCause(): Throwable': rootOf,
  'toString(): String': (self: ThrowableValue) => {
    const message = textOfMessage(self)
    return message === null ? self.klass.name : `${self.klass.name}: ${message}`
  },
})

/** A class of a script may override `getMessage`. */
function textOfMessage(self: ThrowableValue): string | null {
  const message = settled(invokeMethod(self, 'getMessage', []), 'getMessage')
  return message === null ? null : textOf(message)
}

const detail = (name: string) => (self: ThrowableValue) => self.details?.[name] ?? null

extend(MissingMethodException, {
  'new(String method, Class type, Object[] args)': (method: string, type: ClassInfo, args: ObjectArray) =>
    missingMethod(type, method, args.items, type),
  'getMethod(): String': detail('method'),
  'getType(): Class': detail('type'),
  'getArguments(): Object[]': detail('arguments'),
})
extend(MissingPropertyException, {
  'new(String property, Class type)': (property: string, type: ClassInfo) => missingProperty(property, type),
  'getProperty(): String': detail('property'),
  'getType(): Class': detail('type'),
})
