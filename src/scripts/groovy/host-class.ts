// Classes of the gateway under the names that scripts import. They are resolved by simple name.
import {
  type ClassInfo,
  classes,
  defineException,
  exceptions,
  extend,
  GroovyError,
  GroovyLimitError,
  GroovyObject,
  type MemberTable,
  type ThrowableValue,
  throwable,
  type Value,
} from '@identity-gateway/groovy'
import { InvalidCallError } from '../errors.ts'

type ClassOptions = NonNullable<Parameters<typeof classes.declareClass>[1]>

const declared: ClassInfo[] = []

/** Declares a class of the gateway; its package is one of those below `org.forgerock`. */
export function gatewayClass(name: string, options: ClassOptions = {}): ClassInfo {
  const made = classes.declareClass(`org.forgerock.${name}`, options)
  declared.push(made)
  return made
}

/** Declares an interface of the gateway; `functional` names its one abstract method. */
export function gatewayInterface(name: string, functional: string | null, ...extended: ClassInfo[]): ClassInfo {
  const made = classes.declareInterface(`org.forgerock.${name}`, functional, ...extended)
  declared.push(made)
  return made
}

/** Declares an exception of the gateway's classes. */
export function gatewayException(name: string, parent: ClassInfo): ClassInfo {
  const made = defineException(`org.forgerock.${name}`, parent)
  declared.push(made)
  return made
}

/** All classes of the gateway that are declared so far. */
export function gatewayClasses(): readonly ClassInfo[] {
  return declared
}

/** Adds members whose implementations call code of the gateway: its errors become exceptions that scripts can catch. */
export function extendWithHost(klass: ClassInfo, table: MemberTable): ClassInfo {
  return extend(klass, Object.fromEntries(Object.entries(table).map(([key, member]) => [key, guardedMember(member)])))
}

type Member = MemberTable[string]

function guardedMember(member: Member): Member {
  if (typeof member === 'function') return guarded(member as (...args: unknown[]) => unknown) as Member
  if (typeof member !== 'object' || member === null || member instanceof GroovyObject) return member
  const { get, set } = member as { get?: (...args: unknown[]) => unknown; set?: (...args: unknown[]) => unknown }
  if (get === undefined && set === undefined) return member
  return {
    ...(get === undefined ? {} : { get: guarded(get) }),
    ...(set === undefined ? {} : { set: guarded(set) }),
  } as Member
}

function guarded(run: (...args: unknown[]) => unknown): (...args: unknown[]) => unknown {
  return (...args) => {
    try {
      return run(...args)
    } catch (error) {
      throw thrownFor(error)
    }
  }
}

/** Gateway errors by the exceptions they were converted to. */
const causes = new WeakMap<ThrowableValue, Error>()

/** Errors of the caller, in contrast to failures of the called object. */
const MISTAKES = new Set([
  'TypeError',
  'RangeError',
  'InvalidHeaderError',
  'InvalidUriError',
  'InvalidCookieError',
  'JsonSyntaxError',
])

/** Converts an error to an exception for scripts. */
export function thrownFor(error: unknown): unknown {
  if (error instanceof GroovyError) return error.throwable
  if (!(error instanceof Error) || error instanceof GroovyLimitError) return error
  if (error instanceof RangeError && /call stack/i.test(error.message)) return error
  const klass = MISTAKES.has(error.name) ? exceptions.IllegalArgumentException : exceptions.IOException
  const made = throwable(klass, error.message)
  causes.set(made, error)
  return made
}

/** The gateway's error of an exception, or of one of its causes. */
export function hostCause(thrown: ThrowableValue): Error | null {
  let at: ThrowableValue | null = thrown
  for (let depth = 0; at !== null && depth < 16; depth += 1) {
    const cause = causes.get(at)
    if (cause !== undefined) return cause instanceof InvalidCallError ? null : cause
    at = at.cause
  }
  return null
}

/** A promise of the gateway for the engine, with its errors converted. */
export function awaited(source: Promise<Value>): Promise<Value> {
  return source.catch((error: unknown) => {
    throw thrownFor(error)
  })
}
