// String.format and printf, for the conversions that scripts use.
import { TextParts } from '../../runtime/text-parts.ts'
import { classOf } from '../../values/class-of.ts'
import { IllegalArgumentException, illegalArgument } from '../../values/exceptions.ts'
import { decimalText } from '../../values/number-text.ts'
import {
  BIG_DECIMAL,
  FLOATING,
  isNumber,
  numberRank,
  toBigDecimal,
  toBigInt,
  toDouble,
} from '../../values/number-tower.ts'
import { ByteValue, CharValue, ShortValue } from '../../values/numbers.ts'
import { javaText } from '../../values/text.ts'
import { declareException, throwable } from '../../values/throwable.ts'
import { truth } from '../../values/truth.ts'
import type { Value } from '../../values/value.ts'

const IllegalFormatException = declareException('java.util.IllegalFormatException', IllegalArgumentException)
const MissingFormatArgument = declareException('java.util.MissingFormatArgumentException', IllegalFormatException)
const UnknownConversion = declareException('java.util.UnknownFormatConversionException', IllegalFormatException)
const IllegalConversion = declareException('java.util.IllegalFormatConversionException', IllegalFormatException)

const SPECIFIER = /%(?:(\d+)\$)?([-#+ 0,(]*)(\d+)?(?:\.(\d+))?([a-zA-Z%])/g
const MAX_WIDTH = 10_000

/** Formats values with a Java format string. */
export function formatted(format: string, values: readonly Value[]): string {
  let next = 0
  let end = 0
  const parts = new TextParts()
  const add = (part: string): void => parts.add(part)
  for (const match of format.matchAll(SPECIFIER)) {
    const [whole, index, flags = '', width = '0', precision, conversion = ''] = match
    literal(format.slice(end, match.index), add)
    end = match.index + whole.length
    if (conversion === '%' || conversion === 'n') {
      add(conversion === 'n' ? '\n' : pad('%', flags, Number(width)))
      continue
    }
    const position = index === undefined ? next++ : Number(index) - 1
    if (position >= values.length) throw throwable(MissingFormatArgument, `Format specifier '${whole}'`)
    if (Number(width) > MAX_WIDTH || Number(precision ?? 0) > MAX_WIDTH)
      throw illegalArgument(`a width is at most ${MAX_WIDTH}`)
    const text = convert(
      values[position] as Value,
      conversion,
      flags,
      precision === undefined ? null : Number(precision),
    )
    add(pad(text, flags, Number(width)))
  }
  literal(format.slice(end), add)
  return parts.text()
}

function literal(text: string, add: (part: string) => void): void {
  const stray = text.indexOf('%')
  if (stray >= 0) throw throwable(UnknownConversion, `Conversion = '${text[stray + 1] ?? '%'}'`)
  add(text)
}

function pad(text: string, flags: string, width: number): string {
  if (text.length >= width) return text
  if (flags.includes('-')) return text.padEnd(width)
  if (!flags.includes('0')) return text.padStart(width)
  const sign = /^[-+ (]/.exec(text)?.[0] ?? ''
  return sign + text.slice(sign.length).padStart(width - sign.length, '0')
}

function convert(value: Value, conversion: string, flags: string, precision: number | null): string {
  const upper = conversion !== conversion.toLowerCase()
  const text = convertLower(value, conversion.toLowerCase(), flags, precision)
  return upper ? text.toUpperCase() : text
}

function convertLower(value: Value, conversion: string, flags: string, precision: number | null): string {
  switch (conversion) {
    case 's': {
      const text = javaText(value)
      return precision === null ? text : text.slice(0, precision)
    }
    case 'b':
      return String(value !== null && (typeof value !== 'boolean' || truth(value)))
    case 'c':
      return value instanceof CharValue
        ? value.text
        : isNumber(value)
          ? String.fromCodePoint(Number(toBigInt(value)))
          : javaText(value)
    case 'd':
      return value === null ? 'null' : signed(wholeDigits(value, flags), flags)
    case 'x':
    case 'o':
      return value === null ? 'null' : radixDigits(value, conversion === 'x' ? 16 : 8, flags)
    case 'f':
      return value === null ? 'null' : signed(fixed(value, precision ?? 6, flags), flags)
    case 'e':
      return value === null ? 'null' : signed(exponential(value, precision ?? 6), flags)
    default:
      throw throwable(UnknownConversion, `Conversion = '${conversion}'`)
  }
}

function wholeDigits(value: Value, flags: string): string {
  const rank = numberRank(value)
  if (!isNumber(value) || rank === FLOATING || rank === BIG_DECIMAL) throw wrongType('d', value)
  return grouped(decimalText(toBigInt(value)), flags)
}

function wrongType(conversion: string, value: Value): unknown {
  return throwable(IllegalConversion, `${conversion} != ${classOf(value).name}`)
}

function grouped(digits: string, flags: string): string {
  if (!flags.includes(',')) return digits
  const [signed = '', ...fraction] = digits.split('.')
  const sign = signed.startsWith('-') ? '-' : ''
  const whole = signed.slice(sign.length)
  const first = whole.length % 3 || 3
  const groups = [whole.slice(0, first)]
  for (let at = first; at < whole.length; at += 3) groups.push(whole.slice(at, at + 3))
  return [sign + groups.join(','), ...fraction].join('.')
}

function signed(text: string, flags: string): string {
  if (text.startsWith('-')) return flags.includes('(') ? `(${text.slice(1)})` : text
  if (flags.includes('+')) return `+${text}`
  return flags.includes(' ') ? ` ${text}` : text
}

function radixDigits(value: Value, radix: number, flags: string): string {
  const rank = numberRank(value)
  if (!isNumber(value) || rank === FLOATING || rank === BIG_DECIMAL) throw wrongType('x', value)
  const number = toBigInt(value)
  const bits = value instanceof ByteValue ? 8 : value instanceof ShortValue ? 16 : typeof value === 'number' ? 32 : 64
  const text = (rank <= 2 ? BigInt.asUintN(bits, number) : number).toString(radix)
  return flags.includes('#') ? `${radix === 16 ? '0x' : '0'}${text}` : text
}

function fixed(value: Value, precision: number, flags: string): string {
  const rank = numberRank(value)
  if (rank !== FLOATING && rank !== BIG_DECIMAL) throw wrongType('f', value)
  const number = rank === FLOATING ? toDouble(value) : 0
  if (!Number.isFinite(number)) return String(number)
  return grouped(toBigDecimal(value).withScale(precision, 'HALF_UP').toPlainString(), flags)
}

function exponential(value: Value, precision: number): string {
  const rank = numberRank(value)
  if (rank !== FLOATING && rank !== BIG_DECIMAL) throw wrongType('e', value)
  return toDouble(value)
    .toExponential(precision)
    .replace(/e([+-])(\d)$/, 'e$10$2')
}
