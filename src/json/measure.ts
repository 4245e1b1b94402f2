/** How deep and how wide a text may be. */
export interface JsonLimits {
  readonly depth: number
  readonly values: number
}

/** What a text holds, by what begins and separates its values; a text that is not JSON has some measure too. */
export interface JsonMeasure {
  readonly values: number
  readonly members: number
  /** False where a double is printed as each of the numbers is written, as it mostly is. */
  readonly mayHoldExactNumbers: boolean
  /** Where the text exceeds a limit, and which; the measure is that of the text before. */
  readonly excess: { readonly at: number; readonly limit: keyof JsonLimits; readonly reason: string } | null
}

/** Measures a text in one pass, before anything is made of it; stops where it exceeds a limit. */
export function measureJson(text: string, limits: JsonLimits): JsonMeasure {
  let values = 1
  let members = 0
  let depth = 0
  let mayHoldExactNumbers = false
  let begun = false
  let excess: JsonMeasure['excess'] = null
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09) continue
    const ends = unit === 0x5d || unit === 0x7d
    // A comma stands before each value of a list or object but the first.
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
      mayHoldExactNumbers ||= !isDouble(text, at, end)
      at = end - 1
    }
  }
  return { values, members, mayHoldExactNumbers, excess }
}

/** The closing quote of a string: the next that an even number of backslashes stands before. */
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

/** A digit, a sign, a point or the letter of an exponent. */
function isOfNumber(unit: number): boolean {
  if (unit >= 0x30 && unit <= 0x39) return true
  return unit === 0x2d || unit === 0x2b || unit === 0x2e || unit === 0x65 || unit === 0x45
}

/** So many digits come out of a double as they went in. */
const DOUBLE_DIGITS = 15

/** Whether a double is printed as this text: few digits, no exponent, no zero at the end of a fraction, nothing tiny. */
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
  // A double below a millionth is printed with an exponent.
  return text.charCodeAt(end - 1) !== 0x30 && !text.startsWith('0.000000', start)
}
