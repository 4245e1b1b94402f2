import { BigDecimal } from '../values/big-decimal.ts'
import { smallestInteger } from '../values/number-tower.ts'
import { BigIntegerValue, DoubleValue, FloatValue } from '../values/numbers.ts'
import type { Value } from '../values/value.ts'

const WHOLE = /(?:0[xX][0-9a-fA-F](?:[0-9a-fA-F_]*[0-9a-fA-F])?|0[bB][01](?:[01_]*[01])?|\d(?:[\d_]*\d)?)[iIlLgGdDfF]?/y
const DECIMAL =
  /(?:\d(?:[\d_]*\d)?)?(?:\.\d(?:[\d_]*\d)?(?:[eE][+-]?\d(?:[\d_]*\d)?)?|[eE][+-]?\d(?:[\d_]*\d)?)[dDfFgG]?/y

/** The source of the number literal at a position, or null. */
export function scanNumber(text: string, at: number): string | null {
  const isPrefixed = /^0[xXbB]/.test(text.slice(at, at + 2))
  DECIMAL.lastIndex = at
  const decimal = isPrefixed ? null : DECIMAL.exec(text)
  if (decimal !== null) return decimal[0]
  WHOLE.lastIndex = at
  return WHOLE.exec(text)?.[0] ?? null
}

const MAX_DIGITS = 1_000

/** The value of a number literal, or an error message. */
export function numberValue(written: string): { readonly value: Value } | { readonly problem: string } {
  const text = written.replaceAll('_', '')
  if (text.length > MAX_DIGITS) return { problem: `a number has at most ${MAX_DIGITS} digits` }
  const isHex = /^0[xX]/.test(text)
  const suffix = /[iIlLgG]$|(?<!^0[xX].*)[dDfF]$/.exec(text)?.[0]?.toLowerCase() ?? ''
  const digits = suffix === '' ? text : text.slice(0, -1)
  if (!isHex && /[.eE]/.test(digits)) return { value: decimalValue(digits, suffix) }
  if (suffix === 'd') return { value: new DoubleValue(Number(digits)) }
  if (suffix === 'f') return { value: new FloatValue(Number(digits)) }
  if (/^0\d/.test(digits) && /[89]/.test(digits))
    return { problem: `${written} is not an octal number; leave out the leading 0` }
  const number = BigInt(/^0\d/.test(digits) ? `0o${digits.slice(1)}` : digits)
  return wholeValue(number, suffix)
}

function decimalValue(digits: string, suffix: string): Value {
  if (suffix === 'd') return new DoubleValue(Number(digits))
  if (suffix === 'f') return new FloatValue(Number(digits))
  return BigDecimal.parse(digits) as BigDecimal
}

function wholeValue(number: bigint, suffix: string): { readonly value: Value } | { readonly problem: string } {
  // One more than the maximum is allowed, since a minus may precede it.
  if (suffix === 'g') return { value: new BigIntegerValue(number) }
  if (suffix === 'l') {
    if (number > 2n ** 63n) return { problem: `${number} does not fit into a long` }
    return { value: number }
  }
  if (suffix === 'i' && number > 2n ** 31n) return { problem: `${number} does not fit into an int` }
  return { value: smallestInteger(number) }
}
