import type { Numeric } from '#json'
import { order, same } from '../operators.ts'
import { type Method, method } from './method.ts'

/** Truncated to an integer; an integer stays as it is, however long. */
const truncated = (number: Numeric): Numeric =>
  typeof number === 'object' && number.isInteger ? number : Math.trunc(Number(number))

/** What can be called on a number. */
export const numberMethods: ReadonlyMap<string, Method<Numeric>> = new Map([
  ['intValue', method<Numeric>(0, truncated)],
  ['longValue', method(0, truncated)],
  ['doubleValue', method(0, Number)],
  ['floatValue', method(0, Number)],
  ['toString', method(0, String)],
  ['equals', method(1, (number, [other]) => same(number, other))],
  ['compareTo', method(1, (number, [other]) => Math.sign(order(number, other)))],
])

/** What can be called on a boolean. */
export const booleanMethods: ReadonlyMap<string, Method<boolean>> = new Map([
  ['booleanValue', method<boolean>(0, (value) => value)],
  ['toString', method(0, (value) => String(value))],
  ['equals', method(1, (value, [other]) => value === other)],
])
