const BASE = 36
const MIN_THRESHOLD = 1
const MAX_THRESHOLD = 26
const MAX_CODE_POINT = 0x10ffff

/**
 * Whether a text (after `xn--`) is a well-formed Punycode of a non-ASCII label (RFC 3492 section 6.2). Implemented
 * here so that a hostile host name never reaches the native converters (threats B34).
 */
export function isPunycode(text: string): boolean {
  const delimiter = text.lastIndexOf('-')
  let length = Math.max(delimiter, 0)
  let at = delimiter + 1
  if (at >= text.length) return false
  let codePoint = 0x80
  let index = 0
  let bias = 72
  while (at < text.length) {
    const before = index
    let weight = 1
    for (let k = BASE; ; k += BASE) {
      const digit = digitOf(text.charCodeAt(at++))
      if (digit < 0) return false
      index += digit * weight
      if (index > 0x7fffffff) return false
      const threshold = Math.min(Math.max(k - bias, MIN_THRESHOLD), MAX_THRESHOLD)
      if (digit < threshold) break
      weight *= BASE - threshold
    }
    length += 1
    bias = adapt(index - before, length, before === 0)
    codePoint += Math.floor(index / length)
    index = (index % length) + 1
    if (!isLetterLike(codePoint)) return false
  }
  return true
}

/** Neither a control character nor a surrogate, and within Unicode. */
function isLetterLike(codePoint: number): boolean {
  return codePoint >= 0xa1 && codePoint <= MAX_CODE_POINT && (codePoint < 0xd800 || codePoint > 0xdfff)
}

function digitOf(code: number): number {
  if (code >= 0x61 && code <= 0x7a) return code - 0x61
  return code >= 0x30 && code <= 0x39 ? code - 0x30 + 26 : -1
}

function adapt(delta: number, points: number, first: boolean): number {
  let rest = first ? Math.floor(delta / 700) : Math.floor(delta / 2)
  rest += Math.floor(rest / points)
  let k = 0
  while (rest > ((BASE - MIN_THRESHOLD) * MAX_THRESHOLD) / 2) {
    rest = Math.floor(rest / (BASE - MIN_THRESHOLD))
    k += BASE
  }
  return k + Math.floor(((BASE - MIN_THRESHOLD + 1) * rest) / (rest + 38))
}
