/** Limits of depth, number of values, and digits of one number. */
export interface JsonLimits {
  readonly depth: number
  readonly values: number
  readonly digits?: number
}

/** Counts of a text, by the characters that start and separate values; also defined for text that is not JSON. */
export interface JsonMeasure {
  readonly values: number
  readonly members: number
  /** False where every number prints as a double as it is written, which is the usual case. */
  readonly mayHoldExactNumbers: boolean
  /** Position and kind of an exceeded limit; counts are those of the text before. */
  readonly excess: { readonly at: number; readonly limit: keyof JsonLimits; readonly reason: string } | null
}

/** Measures a text in one pass before it is parsed; stops where it exceeds a limit. */
export function measureJson(text: string, limits: JsonLimits): JsonMeasure {
  let values = 1
  let members = 0
  let depth = 0
  let mayHoldExactNumbers = false
  let begun = false
  let excess: JsonMeasure['excess'] = null
  const { digits = Number.POSITIVE_INFINITY } = limits
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09) continue
    const ends = unit === 0x5d || unit === 0x7d
    // Each value of an array or object but the first follows a comma.
    if ((unit === 0x2c || (begun && !ends)) && ++values > limits.values) {
      excess = { at, limit: 'values', reason: `more than ${limits.values} values` }
      break
    }
    begun = unit === 0x5b || unit === 0x7b
    if (begun && ++depth > limits.depth) {
      excess = { at, limit: 'depth', reason: `nested more than ${limits.depth} levels deep` }
      break
    }
    if (ends) depth--
    else if (unit === 0x22) at = endOfString(text, at)
    else if (unit === 0x3a) members++
    else if (isOfNumber(unit)) {
      const end = endOfNumber(text, at)
      if (end - at > digits && digitsIn(text, at, end) > digits) {
        excess = { at, limit: 'digits', reason: `a number of more than ${digits} digits` }
        break
      }
      mayHoldExactNumbers ||= !isDouble(text, at, end)
      at = end - 1
    }
  }
  return { values, members, mayHoldExactNumbers, excess }
}

/** The closing quote of a string: the next one after an even number of backslashes. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at
    while (text.charCodeAt(before - 1) === 0x5c) before--
    if ((at - before) % 2 === 0) return at
  }
  return text.length
}

function endOfNumber(text: string, start: number): number {
  let at = start + 1
  while (isOfNumber(text.charCodeAt(at))) at++
  return at
}

/** The digits before an exponent. */
function digitsIn(text: string, start: number, end: number): number {
  let count = 0
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0x65 || unit === 0x45) break
    if (unit >= 0x30 && unit <= 0x39) count++
  }
  return count
}

/** A digit, a sign, a point or the letter of an exponent. */
function isOfNumber(unit: number): boolean {
  if (unit >= 0x30 && unit <= 0x39) return true
  return unit === 0x2d || unit === 0x2b || unit === 0x2e || unit === 0x65 || unit === 0x45
}

/** Decimal digits that a double preserves. */
const DOUBLE_DIGITS = 15

/** Whether a double prints as this text: few digits, no exponent, no trailing zero of a fraction, not tiny. */
function isDouble(text: string, start: number, end: number): boolean {
  if (end - start > DOUBLE_DIGITS) return false
  if (text.charCodeAt(start) === 0x2d && text.charCodeAt(start + 1) === 0x30) return false
  let fraction = false
  for (let at = start + 1; at < end; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0x2e) fraction = true
    else if (unit < 0x30 || unit > 0x39) return false
  }
  if (!fraction) return true
  // A double below a millionth prints with an exponent.
  return text.charCodeAt(end - 1) !== 0x30 && !text.startsWith('0.000000', start)
}
