/** How deep and how wide a text may be. */
export interface JsonLimits {
  readonly depth: number
  readonly values: number
}

/** What a text holds, by what begins and separates its values; a text that is not JSON has some measure too. */
export interface JsonMeasure {
  readonly values: number
  readonly members: number
  /** Where the text exceeds a limit, and which; the measure is that of the text before. */
  readonly excess: { readonly at: number; readonly limit: keyof JsonLimits; readonly reason: string } | null
}

/** Measures a text in one pass, before anything is made of it; stops where it exceeds a limit. */
export function measureJson(text: string, limits: JsonLimits): JsonMeasure {
  let values = 1
  let members = 0
  let depth = 0
  let begun = false
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09) continue
    const ends = unit === 0x5d || unit === 0x7d
    // A comma stands before each value of a list or object but the first.
    if ((unit === 0x2c || (begun && !ends)) && ++values > limits.values) {
      return exceeded(values, members, at, 'values', limits)
    }
    begun = unit === 0x5b || unit === 0x7b
    if (begun && ++depth > limits.depth) return exceeded(values, members, at, 'depth', limits)
    if (ends) depth--
    else if (unit === 0x22) at = endOfString(text, at)
    else if (unit === 0x3a) members++
  }
  return { values, members, excess: null }
}

function exceeded(
  values: number,
  members: number,
  at: number,
  limit: keyof JsonLimits,
  limits: JsonLimits,
): JsonMeasure {
  const reason =
    limit === 'depth' ? `nested more than ${limits.depth} levels deep` : `more than ${limits.values} values`
  return { values, members, excess: { at, limit, reason } }
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
