import type { JsonNumber } from './number.ts'

/** A number as `0.DIGITS` times ten to the exponent; digits have no leading or trailing zeros, and are empty for 0. */
interface Scientific {
  readonly negative: boolean
  readonly digits: string
  readonly exponent: number
}

const PARTS = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/

/** Compares two numbers by their exact values, of any length: negative, 0 or positive. */
export function compareNumbers(left: number | JsonNumber, right: number | JsonNumber): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right
  const first = scientific(String(left))
  const second = scientific(String(right))
  // NaN and the infinities, which JSON does not have.
  if (first === null || second === null) return Number(left) - Number(right)
  if (first.digits === '' || second.digits === '' || first.negative !== second.negative)
    return signOf(first) - signOf(second)
  return first.negative ? compareMagnitudes(second, first) : compareMagnitudes(first, second)
}

function compareMagnitudes(left: Scientific, right: Scientific): number {
  if (left.exponent !== right.exponent) return left.exponent < right.exponent ? -1 : 1
  if (left.digits === right.digits) return 0
  return left.digits < right.digits ? -1 : 1
}

const signOf = ({ negative, digits }: Scientific): number => (digits === '' ? 0 : negative ? -1 : 1)

function scientific(text: string): Scientific | null {
  const [whole, sign, units = '', fraction = '', power = '0'] = PARTS.exec(text) ?? []
  if (whole === undefined) return null
  const all = units + fraction
  const first = all.search(/[1-9]/)
  if (first < 0) return { negative: false, digits: '', exponent: 0 }
  let end = all.length
  while (all.charCodeAt(end - 1) === 0x30) end--
  return { negative: sign === '-', digits: all.slice(first, end), exponent: units.length - first + Number(power) }
}
