// Numbers as Java prints them.
import { bitsOf, spend } from '../meter.ts'

/** The decimal digits of an integer, after its sign: this takes long for a large one. */
export function decimalText(number: bigint): string {
  const bits = bitsOf(number)
  if (bits > 0) spend(bits)
  return String(number)
}

/** As `Double.toString`. */
export function doubleText(number: number): string {
  // Java prints at least two digits, and the nearest number with two digits: 4.9E-324.
  const two = number.toExponential(1)
  return floatingText(number, Number(two) === number ? two : number.toExponential())
}

/** As `Float.toString`: the shortest digits that parse to the same 32-bit number. */
export function floatText(number: number): string {
  for (let digits = 1; digits < 9; digits++) {
    const text = number.toExponential(digits)
    if (Math.fround(Number(text)) === number) return floatingText(number, text)
  }
  return floatingText(number, number.toExponential())
}

function floatingText(number: number, exponential: string): string {
  if (Number.isNaN(number)) return 'NaN'
  if (!Number.isFinite(number)) return number > 0 ? 'Infinity' : '-Infinity'
  if (number === 0) return Object.is(number, -0) ? '-0.0' : '0.0'
  const sign = number < 0 ? '-' : ''
  const [mantissa = '', exponentText = ''] = exponential.replace('-', sign === '' ? '-' : '').split('e')
  const exponent = Number(exponentText)
  const digits = mantissa.replace('.', '').replace(/0+$/, '') || '0'
  const size = Math.abs(number)
  if (size < 1e-3 || size >= 1e7) return `${sign}${digits[0]}.${digits.slice(1) || '0'}E${exponent}`
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`
  const padded = digits.padEnd(exponent + 1, '0')
  return `${sign}${padded.slice(0, exponent + 1)}.${padded.slice(exponent + 1) || '0'}`
}
