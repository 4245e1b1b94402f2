// Methods of closures.
import { extend } from '../../registry/extend.ts'
import { callFunctional } from '../../runtime/invoke.ts'
import { andThen } from '../../runtime/pending.ts'
import { ClosureClass } from '../../values/classes.ts'
import {
  ClosureValue,
  DELEGATE_FIRST,
  DELEGATE_ONLY,
  NativeClosure,
  OWNER_FIRST,
  OWNER_ONLY,
  TO_SELF,
} from '../../values/closure.ts'
import { ListValue } from '../../values/collection.ts'
import { illegalArgument } from '../../values/exceptions.ts'
import { identityHash } from '../../values/hash.ts'
import { HashMapValue } from '../../values/hash-map.ts'
import { untypedParameter } from '../../values/parameters.ts'
import type { Value } from '../../values/value.ts'

/** A curried closure. */
function curried(self: ClosureValue, given: readonly Value[], at: number): Value {
  const types = self.parameterTypes.filter((_, index) => index < at || index >= at + given.length)
  return new NativeClosure(self, types, (args) => self.call([...args.slice(0, at), ...given, ...args.slice(at)]))
}

function curriedRight(self: ClosureValue, given: readonly Value[]): Value {
  const types = self.parameterTypes.slice(0, Math.max(self.parameterCount - given.length, 0))
  return new NativeClosure(self, types, (args) => self.call([...args, ...given]))
}

/** Composition: calls the first, then the second with its result. */
function composed(first: ClosureValue, second: Value): Value {
  return new NativeClosure(first, first.parameterTypes, (args) =>
    andThen(first.call(args), (result) => callFunctional(second, [result])),
  )
}

/** A memoized closure. */
function memoized(self: ClosureValue, most: number): Value {
  const known = new HashMapValue()
  return new NativeClosure(self, self.parameterTypes, (args) => {
    const key = new ListValue([...args])
    const found = known.get(key)
    if (found !== undefined) return found
    return andThen(self.call(args), (result) => {
      if (known.size >= most) known.delete(known.entries()[0]!.key)
      known.put(key, result)
      return result
    })
  })
}

extend(ClosureClass, {
  'call(Object... args): Object': (self: ClosureValue, args: Value[]) => self.call(args),
  'doCall(Object... args): Object': (self: ClosureValue, args: Value[]) => self.call(args),
  'run(): void': (self: ClosureValue) => andThen(self.call([]), () => null),
  'curry(Object... args): Closure': (self: ClosureValue, args: Value[]) => curried(self, args, 0),
  'rcurry(Object... args): Closure': curriedRight,
  'ncurry(int index, Object... args): Closure': (self: ClosureValue, index: number, args: Value[]) => {
    const at = index < 0 ? index + self.parameterCount : index
    if (at < 0 || at + args.length > self.parameterCount) {
      throw illegalArgument(
        `Can't curry ${args.length} arguments at ${index} for a closure with ${self.parameterCount} parameters.`,
      )
    }
    return curried(self, args, at)
  },
  'rightShift(Object next): Closure': (self: ClosureValue, next: Value) => composed(self, next),
  'leftShift(Object other): Object': (self: ClosureValue, other: Value) =>
    other instanceof ClosureValue ? composed(other, self) : self.call([other]),
  'andThen(Closure next): Closure': (self: ClosureValue, next: Value) => composed(self, next),
  'compose(Closure before): Closure': (self: ClosureValue, before: ClosureValue) => composed(before, self),
  'memoize(): Closure': (self: ClosureValue) => memoized(self, 10_000),
  'memoizeAtMost(int most): Closure': (self: ClosureValue, most: number) => memoized(self, most),
  'clone(): Closure': (self: ClosureValue) => self.copy(),
  'rehydrate(Object delegate, Object owner, Object thisObject): Closure': (self: ClosureValue, delegate: Value) => {
    const copy = self.copy()
    copy.delegate = delegate
    return copy
  },
  'dehydrate(): Closure': (self: ClosureValue) => {
    const copy = self.copy()
    copy.delegate = null
    return copy
  },
  'getOwner(): Object': (self: ClosureValue) => self.owner,
  'getDelegate(): Object': (self: ClosureValue) => self.delegate,
  'setDelegate(Object delegate): void': (self: ClosureValue, delegate: Value) => {
    self.delegate = delegate
  },
  'getThisObject(): Object': (self: ClosureValue) => self.thisObject,
  'getResolveStrategy(): int': (self: ClosureValue) => self.resolveStrategy,
  'setResolveStrategy(int strategy): void': (self: ClosureValue, strategy: number) => {
    self.resolveStrategy = strategy
  },
  'getMaximumNumberOfParameters(): int': (self: ClosureValue) => self.parameterCount,
  'toString(): String': (self: ClosureValue) => `Script$_closure@${identityHash(self).toString(16)}`,
  'isCase(Object value): Object': (self: ClosureValue, value: Value) => self.call([value]),
  'static OWNER_FIRST: int': OWNER_FIRST,
  'static DELEGATE_FIRST: int': DELEGATE_FIRST,
  'static OWNER_ONLY: int': OWNER_ONLY,
  'static DELEGATE_ONLY: int': DELEGATE_ONLY,
  'static TO_SELF: int': TO_SELF,
  'static IDENTITY: Closure': () => new NativeClosure(null, [untypedParameter], ([value]) => value ?? null),
})
