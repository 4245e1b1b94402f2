import type { ScriptLocation } from '../meter.ts'
import type { ClassInfo, Extensible } from './class-info.ts'
import { declareClass } from './classes.ts'
import { Instance, type Value } from './value.ts'

/** An exception of a script; thrown in JavaScript directly, without a JavaScript stack. */
export class ThrowableValue extends Instance {
  message: string | null = null
  cause: ThrowableValue | null = null
  /** Location of its first throw. */
  location: ScriptLocation | null = null
  readonly suppressed: ThrowableValue[] = []
  /** Further properties of the library's own exceptions, such as `method` of MissingMethodException. */
  details: Readonly<Record<string, Value>> | null = null
}

const extensible: Extensible = {
  allocate: (klass) => new ThrowableValue(klass),
  initialise: (self, args) => {
    const made = self as ThrowableValue
    for (const each of args) {
      if (each instanceof ThrowableValue) {
        made.cause = each
        made.message ??= throwableText(each)
      } else made.message = each as string | null
    }
    return null
  },
}

export const ThrowableClass = declareClass('java.lang.Throwable', { extensible })

/** A class of exceptions of the library. */
export function declareException(name: string, parent: ClassInfo): ClassInfo {
  return declareClass(name, { parent, extensible })
}

/** `java.lang.IllegalStateException: text`. */
export function throwableText(thrown: ThrowableValue): string {
  return thrown.message === null ? thrown.klass.name : `${thrown.klass.name}: ${thrown.message}`
}

/** Creates an exception of the library. */
export function throwable(
  klass: ClassInfo,
  message: string | null,
  cause: ThrowableValue | null = null,
): ThrowableValue {
  const made = new ThrowableValue(klass)
  made.message = message
  made.cause = cause
  return made
}
