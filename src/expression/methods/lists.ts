import { toText } from '../coercion.ts'
import { text, wholeNumber } from '../functions/arguments.ts'
import { same } from '../operators.ts'
import { bounded, toExpressionValue } from '../values.ts'
import { type Method, method } from './method.ts'

const indexIn = (list: readonly unknown[], value: unknown): number => list.findIndex((item) => same(item, value))

export const listMethods: ReadonlyMap<string, Method<readonly unknown[]>> = new Map([
  ['size', method<readonly unknown[]>(0, (list) => list.length)],
  ['length', method(0, (list) => list.length)],
  ['isEmpty', method(0, (list) => list.length === 0)],
  ['contains', method(1, (list, [value]) => indexIn(list, value) !== -1)],
  ['indexOf', method(1, (list, [value]) => indexIn(list, value))],
  ['lastIndexOf', method(1, (list, [value]) => list.findLastIndex((item) => same(item, value)))],
  ['get', method(1, (list, [index]) => toExpressionValue(list[wholeNumber('get()', index)]))],
  ['getFirst', method(0, (list) => toExpressionValue(list[0]))],
  ['getLast', method(0, (list) => toExpressionValue(list.at(-1)))],
  ['join', method(1, (list, [separator]) => bounded(list.map(toText).join(text('join()', separator) ?? '')))],
  ['equals', method(1, (list, [other]) => same(list, other))],
  ['toString', method(0, (list) => toText(list))],
])

export const setMethods: ReadonlyMap<string, Method<ReadonlySet<unknown>>> = new Map([
  ['size', method<ReadonlySet<unknown>>(0, (set) => set.size)],
  ['isEmpty', method(0, (set) => set.size === 0)],
  ['contains', method(1, (set, [value]) => set.has(value) || indexIn([...set], value) !== -1)],
  ['equals', method(1, (set, [other]) => same(set, other))],
  ['toString', method(0, (set) => toText(set))],
])
