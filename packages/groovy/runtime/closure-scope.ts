// Names that a closure does not declare itself are looked up in its owner and its delegate, in the order of its resolve strategy.

import { ClassInfo } from '../values/class-info.ts'
import { classOf } from '../values/class-of.ts'
import { type ClosureValue, DELEGATE_FIRST, DELEGATE_ONLY, OWNER_ONLY, TO_SELF } from '../values/closure.ts'
import { MissingMethodException, MissingPropertyException } from '../values/exceptions.ts'
import { ThrowableValue } from '../values/throwable.ts'
import type { Value } from '../values/value.ts'
import { invokeMethod, methodsOf } from './invoke.ts'
import { missingMethod, missingProperty } from './missing.ts'
import type { Maybe } from './pending.ts'
import { getProperty, setProperty } from './property.ts'

/** Resolution order. */
function scopesOf(closure: ClosureValue): readonly Value[] {
  const { owner, delegate } = closure
  switch (closure.resolveStrategy) {
    case OWNER_ONLY:
      return [owner]
    case DELEGATE_ONLY:
      return [delegate]
    case TO_SELF:
      return []
    case DELEGATE_FIRST:
      return delegate === owner ? [owner] : [delegate, owner]
    default:
      return delegate === owner ? [owner] : [owner, delegate]
  }
}

export function readInClosure(closure: ClosureValue, name: string): Maybe {
  return tryEach(
    closure,
    (scope) => getProperty(scope, name),
    MissingPropertyException,
    () => missingProperty(name, ownerClass(closure)),
  )
}

export function writeInClosure(closure: ClosureValue, name: string, value: Value): Maybe {
  return tryEach(
    closure,
    (scope) => setProperty(scope, name, value),
    MissingPropertyException,
    () => missingProperty(name, ownerClass(closure)),
  )
}

/** A call without a receiver within a closure: a method of the owner or the delegate, else a property that is callable. */
export function callInClosure(closure: ClosureValue, name: string, args: Value[]): Maybe {
  for (const scope of scopesOf(closure)) {
    if (methodsOf(scope, name)?.select(args) != null) return invokeMethod(scope, name, args)
  }
  return tryEach(
    closure,
    (scope) => invokeMethod(scope, name, [...args]),
    MissingMethodException,
    () => missingMethod(closure.thisObject, name, args),
  )
}

function ownerClass({ thisObject }: ClosureValue): ClassInfo {
  return thisObject instanceof ClassInfo ? thisObject : classOf(thisObject)
}

/** Tries one scope after the other; if all fail, the exception of the first one is thrown. */
function tryEach(
  closure: ClosureValue,
  attempt: (scope: Value) => Maybe,
  missing: ClassInfo,
  nothing: () => ThrowableValue,
): Maybe {
  let first: ThrowableValue | null = null
  for (const scope of scopesOf(closure)) {
    if (scope === null) continue
    try {
      return attempt(scope)
    } catch (error) {
      if (!(error instanceof ThrowableValue) || !error.klass.isSubclassOf(missing)) throw error
      first ??= error
    }
  }
  throw first ?? nothing()
}
