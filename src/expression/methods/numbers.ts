import { order } from '../operators.ts'
import { type Method, method } from './method.ts'

/** What can be called on a number. */
export const numberMethods: ReadonlyMap<string, Method<number>> = new Map([
  ['intValue', method<number>(0, (number) => Math.trunc(number))],
  ['longValue', method(0, (number) => Math.trunc(number))],
  ['doubleValue', method(0, (number) => number)],
  ['floatValue', method(0, (number) => number)],
  ['toString', method(0, (number) => String(number))],
  ['equals', method(1, (number, [other]) => number === other)],
  ['compareTo', method(1, (number, [other]) => Math.sign(order(number, other)))],
])

/** What can be called on a boolean. */
export const booleanMethods: ReadonlyMap<string, Method<boolean>> = new Map([
  ['booleanValue', method<boolean>(0, (value) => value)],
  ['toString', method(0, (value) => String(value))],
  ['equals', method(1, (value, [other]) => value === other)],
])
