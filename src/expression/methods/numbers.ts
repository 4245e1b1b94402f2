import type { Numeric } from '#json'
import { order, same } from '../operators.ts'
import { type Method, method } from './method.ts'

/** Truncates to an integer; integers of any length stay unchanged. */
const truncated = (number: Numeric): Numeric =>
  typeof number === 'object' && number.isInteger ? number : Math.trunc(Number(number))

export const numberMethods: ReadonlyMap<string, Method<Numeric>> = new Map([
  ['intValue', method<Numeric>(0, truncated)],
  ['longValue', method(0, truncated)],
  ['doubleValue', method(0, Number)],
  ['floatValue', method(0, Number)],
  ['toString', method(0, String)],
  ['equals', method(1, (number, [other]) => same(number, other))],
  ['compareTo', method(1, (number, [other]) => Math.sign(order(number, other)))],
])

export const booleanMethods: ReadonlyMap<string, Method<boolean>> = new Map([
  ['booleanValue', method<boolean>(0, (value) => value)],
  ['toString', method(0, (value) => String(value))],
  ['equals', method(1, (value, [other]) => value === other)],
])
