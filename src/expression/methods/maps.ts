import { read } from '../access.ts'
import { toText } from '../coercion.ts'
import { same } from '../operators.ts'
import { isMap, keysOf, sizeOf, toExpressionValue } from '../values.ts'
import { type Method, method } from './method.ts'

const keysIn = (map: object): string[] => [...(keysOf(map) ?? [])]
const valuesIn = (map: object): unknown[] => keysIn(map).map((key) => read(map, key))
const has = (map: object, key: unknown): boolean => {
  if (isMap(map)) return map.has(key)
  const value = read(map, key)
  return value !== null || (typeof key === 'string' && keysIn(map).includes(key))
}

/** The first value of a form field. */
const firstOf = (value: unknown): unknown => (Array.isArray(value) ? toExpressionValue(value[0]) : value)

/** Methods of maps, and of host objects with keys. */
export const mapMethods: ReadonlyMap<string, Method<object>> = new Map([
  ['get', method<object>(1, (map, [key]) => read(map, key))],
  ['getFirst', method(1, (map, [key]) => firstOf(read(map, key)))],
  ['getOrDefault', method(2, (map, [key, otherwise]) => (has(map, key) ? read(map, key) : otherwise))],
  ['containsKey', method(1, (map, [key]) => has(map, key))],
  ['containsValue', method(1, (map, [value]) => valuesIn(map).some((item) => same(item, value)))],
  ['keySet', method(0, (map) => new Set(keysIn(map)))],
  ['values', method(0, (map) => valuesIn(map))],
  ['size', method(0, (map) => sizeOf(map))],
  ['isEmpty', method(0, (map) => sizeOf(map) === 0)],
  ['equals', method(1, (map, [other]) => same(map, other))],
  ['toString', method(0, (map) => toText(map))],
])
