// Operators. Fast paths for Integers and strings; other values call the method of the operator.

import { boundedText } from '../meter.ts'
import { BIG_INTEGER, NOT_A_NUMBER, numberRank, numericRank } from '../values/number-tower.ts'
import { CharValue } from '../values/numbers.ts'
import { textOf } from '../values/text.ts'
import type { Value } from '../values/value.ts'
import { invokeMethod } from './invoke.ts'
import {
  addNumbers,
  cannotNegateBits,
  combineBits,
  divideNumbers,
  multiplyNumbers,
  negateNumber,
  powerOf,
  remainderOf,
  shift,
  subtractNumbers,
  withNull,
} from './number-math.ts'
import type { Maybe } from './pending.ts'

type BinaryOperator = (left: Value, right: Value) => Maybe

/** Both are numbers, or one is a number and the other a Character. */
function areNumbers(left: Value, right: Value): boolean {
  const [a, b] = [numericRank(left), numericRank(right)]
  return a !== NOT_A_NUMBER && b !== NOT_A_NUMBER
}

/** The method of an operator. */
function invokeOperator(method: string, left: Value, right: Value): Maybe {
  const problem = right === null && numericRank(left) !== NOT_A_NUMBER ? withNull(method, left) : null
  if (problem !== null) throw problem
  return invokeMethod(left, method, [right])
}

export function plus(left: Value, right: Value): Maybe {
  if (typeof left === 'number' && typeof right === 'number') return (left + right) | 0
  if (typeof left === 'string') return boundedText(left + (typeof right === 'string' ? right : textOf(right)))
  if (areNumbers(left, right)) return addNumbers(left, right)
  return invokeOperator('plus', left, right)
}

function minus(left: Value, right: Value): Maybe {
  if (typeof left === 'number' && typeof right === 'number') return (left - right) | 0
  if (areNumbers(left, right)) return subtractNumbers(left, right)
  return invokeOperator('minus', left, right)
}

function multiply(left: Value, right: Value): Maybe {
  if (typeof left === 'number' && typeof right === 'number') return Math.imul(left, right)
  if (areNumbers(left, right)) return multiplyNumbers(left, right)
  return invokeOperator('multiply', left, right)
}

export function divide(left: Value, right: Value): Maybe {
  return areNumbers(left, right) ? divideNumbers(left, right) : invokeOperator('div', left, right)
}

function modulo(left: Value, right: Value): Maybe {
  if (typeof left === 'number' && typeof right === 'number' && right !== 0) return (left % right) | 0
  return numbersOnly(left, right) ? remainderOf(left, right) : invokeOperator('mod', left, right)
}

function numbersOnly(left: Value, right: Value): boolean {
  return numberRank(left) !== NOT_A_NUMBER && numberRank(right) !== NOT_A_NUMBER
}

function power(left: Value, right: Value): Maybe {
  return numbersOnly(left, right) ? powerOf(left, right) : invokeOperator('power', left, right)
}

const shifting =
  (method: 'leftShift' | 'rightShift' | 'rightShiftUnsigned'): BinaryOperator =>
  (left, right) =>
    numbersOnly(left, right) ? shift(method, left, right) : invokeOperator(method, left, right)

const leftShift = shifting('leftShift')
const rightShift = shifting('rightShift')
const rightShiftUnsigned = shifting('rightShiftUnsigned')

const combining =
  (method: 'and' | 'or' | 'xor', ofBooleans: (left: boolean, right: boolean) => boolean): BinaryOperator =>
  (left, right) => {
    if (typeof left === 'boolean' && typeof right === 'boolean') return ofBooleans(left, right)
    return numbersOnly(left, right) ? combineBits(method, left, right) : invokeOperator(method, left, right)
  }

const bitAnd = combining('and', (left, right) => left && right)
const bitOr = combining('or', (left, right) => left || right)
const bitXor = combining('xor', (left, right) => left !== right)

export function negative(value: Value): Maybe {
  if (typeof value === 'number') return -value | 0
  return numberRank(value) !== NOT_A_NUMBER ? negateNumber(value) : invokeMethod(value, 'negative', [])
}

export function positive(value: Value): Maybe {
  return numberRank(value) !== NOT_A_NUMBER ? value : invokeMethod(value, 'positive', [])
}

export function bitwiseNegate(value: Value): Maybe {
  if (typeof value === 'number') return ~value
  if (typeof value === 'bigint') return ~value
  if (numberRank(value) > BIG_INTEGER) throw cannotNegateBits(value)
  return invokeMethod(value, 'bitwiseNegate', [])
}

/** `++`. */
export function next(value: Value): Maybe {
  if (typeof value === 'number') return (value + 1) | 0
  if (value instanceof CharValue) return CharValue.of(value.code + 1)
  return numberRank(value) !== NOT_A_NUMBER ? addNumbers(value, 1) : invokeMethod(value, 'next', [])
}

/** `--`. */
export function previous(value: Value): Maybe {
  if (typeof value === 'number') return (value - 1) | 0
  if (value instanceof CharValue) return CharValue.of(value.code - 1)
  return numberRank(value) !== NOT_A_NUMBER ? subtractNumbers(value, 1) : invokeMethod(value, 'previous', [])
}

/** By operator symbol, for the compiler. */
export const binaryOperators: ReadonlyMap<string, BinaryOperator> = new Map([
  ['+', plus],
  ['-', minus],
  ['*', multiply],
  ['/', divide],
  ['%', modulo],
  ['**', power],
  ['<<', leftShift],
  ['>>', rightShift],
  ['>>>', rightShiftUnsigned],
  ['&', bitAnd],
  ['|', bitOr],
  ['^', bitXor],
])
