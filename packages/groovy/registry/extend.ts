// Members of the library's classes. A table is the only definition of a member: calls are dispatched by it, the checker uses
// it, and the reference page lists it.

import { missingMethod } from '../runtime/missing.ts'
import type { Maybe } from '../runtime/pending.ts'
import type { ClassInfo, PropertyAccess } from '../values/class-info.ts'
import { InterfaceProxy } from '../values/interface-proxy.ts'
import type { Invocable } from '../values/method-group.ts'
import { ByteValue, CharValue, DoubleValue, FloatValue, ShortValue } from '../values/numbers.ts'
import type { Value } from '../values/value.ts'
import { charged } from './charged.ts'
import { parameterType } from './parameter-types.ts'
import { parseSignature, type Signature } from './signature.ts'

/** The implementation of a method; receives the object and the converted arguments. */
type Implementation = (self: never, ...args: never[]) => unknown

/** Getter and setter of a property. */
interface PropertyImplementation {
  readonly get?: (self: never) => Maybe
  readonly set?: (self: never, value: never) => unknown
}

/** A method of an interface that a class of a script, or a closure, implements. */
export const ABSTRACT: unique symbol = Symbol('abstract')

/**
 * Signatures and implementations. `name(types)` and `static name(types)` are methods, `new(types)` constructors, `name: type`
 * properties, and `static name: type` constants, given as a value or as a function that creates it.
 */
export type MemberTable = Readonly<Record<string, Implementation | PropertyImplementation | typeof ABSTRACT | Value>>

/** Adds members to a class. */
export function extend(klass: ClassInfo, table: MemberTable): ClassInfo {
  for (const [key, member] of Object.entries(table)) {
    const signature = parseSignature(key)
    if (signature.kind === 'property') {
      klass.ownProperties.set(signature.name, propertyOf(signature, member as PropertyImplementation))
    } else if (signature.kind === 'static property') {
      klass.ownStaticProperties.set(signature.name, constantOf(signature, member as Value | (() => Maybe)))
    } else add(klass, signature, invocableOf(signature, member as Implementation | typeof ABSTRACT))
  }
  return klass
}

function add(klass: ClassInfo, { kind, name }: Signature, invocable: Invocable): void {
  if (kind === 'constructor') {
    klass.constructors.push(invocable)
    return
  }
  const methods = kind === 'method' ? klass.ownMethods : klass.ownStatics
  const overloads = methods.get(name) ?? []
  overloads.push(invocable)
  methods.set(name, overloads)
}

function propertyOf({ name, returns }: Signature, member: PropertyImplementation): PropertyAccess {
  const { get, set } = member as {
    get?: (self: Value) => Maybe
    set?: (self: Value, value: Value) => Maybe | undefined
  }
  return {
    name,
    type: returns,
    get: get === undefined ? null : chargedGet(returning(returns, get)),
    set: set === undefined ? null : chargedSet(set),
  }
}

function chargedGet(get: (self: Value) => Maybe): (self: Value) => Maybe {
  const call = charged(get, false)
  return (self) => call(self, [])
}

function chargedSet(set: (self: Value, value: Value) => Maybe | undefined): (self: Value, value: Value) => Maybe {
  const call = charged((self, [value]) => set(self, value as Value) ?? null, false)
  return (self, value) => call(self, [value])
}

function constantOf({ name, returns }: Signature, member: Value | (() => Maybe)): PropertyAccess {
  const get = typeof member === 'function' ? member : () => member
  return { name, type: returns, get: returning(returns, get), set: null }
}

function invocableOf(signature: Signature, member: Implementation | typeof ABSTRACT): Invocable {
  const { name, kind, parameters, returns, text } = signature
  const isAbstract = member === ABSTRACT
  const run = isAbstract
    ? (self: Value, args: unknown[]): Maybe => {
        if (self instanceof InterfaceProxy) return self.call(name, args as Value[])
        throw missingMethod(self, name, [])
      }
    : spread(member as Implementation, kind === 'method')
  return {
    name,
    parameters: parameters.map(parameterType),
    varargs: parameters.at(-1)?.dots === true,
    returns: kind === 'constructor' ? null : returns,
    text,
    isAbstract,
    call: charged(returning(returns, run), kind !== 'method'),
  }
}

/** Calls with a fixed number of arguments are faster than ones with a spread array. */
function spread(implementation: Implementation, withSelf: boolean): (self: Value, args: unknown[]) => Maybe {
  if (withSelf) {
    const run = implementation as (self: Value, ...args: unknown[]) => Maybe | undefined
    return (self, args) => {
      switch (args.length) {
        case 0:
          return run(self) ?? null
        case 1:
          return run(self, args[0]) ?? null
        case 2:
          return run(self, args[0], args[1]) ?? null
        default:
          return run(self, ...args) ?? null
      }
    }
  }
  const run = implementation as (...args: unknown[]) => Maybe | undefined
  return (_, args) => run(...args) ?? null
}

/** Converts JavaScript numbers to the numeric return type of a method. */
const BOXES: ReadonlyMap<string, (number: number) => Maybe> = new Map<string, (number: number) => Maybe>([
  ['double', (number) => new DoubleValue(number)],
  ['float', (number) => new FloatValue(number)],
  ['long', (number) => BigInt(number)],
  ['short', (number) => new ShortValue(number)],
  ['byte', (number) => ByteValue.of(number)],
  ['char', (number) => CharValue.of(number)],
])

function returning<Args extends unknown[]>(
  returns: string | null,
  run: (self: Value, ...args: Args) => Maybe,
): (self: Value, ...args: Args) => Maybe {
  const box = returns === null ? undefined : BOXES.get(returns)
  if (box === undefined) return run
  return (self, ...args) => {
    const result = run(self, ...args)
    return typeof result === 'number' ? box(result) : result
  }
}
