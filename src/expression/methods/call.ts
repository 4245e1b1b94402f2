import { JsonNumber, jsonNumber } from '#json'
import { describe } from '../coercion.ts'
import { EvaluationError } from '../errors.ts'
import { type AnyExposure, exposureOf, getterOf, methodOf } from '../exposed.ts'
import { isBytes, isMap, isPlainObject, isSet, kindOf, toExpressionValue } from '../values.ts'
import { listMethods, setMethods } from './lists.ts'
import { mapMethods } from './maps.ts'
import { invoke, type Method } from './method.ts'
import { booleanMethods, numberMethods } from './numbers.ts'
import { stringMethods } from './strings.ts'

/** Methods by the kind of a value. */
const METHODS: ReadonlyMap<string, ReadonlyMap<string, Method<never>>> = new Map<
  string,
  ReadonlyMap<string, Method<never>>
>([
  ['string', stringMethods],
  ['number', numberMethods],
  ['boolean', booleanMethods],
  ['list', listMethods],
  ['byte array', listMethods],
  ['set', setMethods],
  ['map', mapMethods],
])

/** Names of the methods of a value. */
export function methodNames(base: unknown): Iterable<string> {
  const exposure = typeof base === 'object' && base !== null ? exposureOf(base) : undefined
  if (exposure === undefined) return METHODS.get(kindOf(base))?.keys() ?? []
  return [...Object.keys(exposure.call ?? {}), ...(exposure.keys === undefined ? [] : mapMethods.keys())]
}

/** Calls `base.name(args)`; null on a null base, an error where the kind has no such method. */
export function callMethod(base: unknown, name: string, args: readonly unknown[]): unknown {
  if (base === null || base === undefined) return null
  if (typeof base === 'string') return invoke(stringMethods, 'string', base, name, args)
  if (typeof base === 'number' || base instanceof JsonNumber) return invoke(numberMethods, 'number', base, name, args)
  if (typeof base === 'bigint') return invoke(numberMethods, 'number', jsonNumber(String(base)), name, args)
  if (typeof base === 'boolean') return invoke(booleanMethods, 'boolean', base, name, args)
  if (typeof base !== 'object') throw new EvaluationError(`${describe(base)} has no methods`)
  const exposure = exposureOf(base)
  if (exposure !== undefined) return callExposed(exposure, base, name, args)
  if (Array.isArray(base)) return invoke(listMethods, 'list', base, name, args)
  if (isBytes(base)) return invoke(listMethods, 'byte array', [...base], name, args)
  if (isSet(base)) return invoke(setMethods, 'set', base, name, args)
  if (isMap(base) || isPlainObject(base)) return invoke(mapMethods, 'map', base, name, args)
  throw new EvaluationError(`this object has no method "${name.slice(0, 100)}"`)
}

function callExposed(exposure: AnyExposure, base: object, name: string, args: readonly unknown[]): unknown {
  const call = methodOf(exposure, name)
  if (call !== undefined) return toExpressionValue(call(base, ...args))
  const get = args.length === 0 ? getterOf(exposure, name) : undefined
  if (get !== undefined) return toExpressionValue(get(base))
  if (exposure.keys !== undefined && mapMethods.has(name)) return invoke(mapMethods, exposure.kind, base, name, args)
  throw new EvaluationError(`a ${exposure.kind} has no method "${name.slice(0, 100)}"`)
}
