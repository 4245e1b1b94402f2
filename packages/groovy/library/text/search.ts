// Searches for a text in another, in time in proportion to the sum of both lengths: the native search takes time in proportion
// to their product where the searched text repeats itself.

/** The native search takes at most this many steps for each character. */
const SHORT = 32

/** The position of the first occurrence at or after a position; -1 for none. */
export function indexIn(text: string, part: string, from = 0): number {
  if (part.length <= SHORT || part.length > text.length) return text.indexOf(part, from)
  for (const at of longOccurrences(text, part, Math.max(from, 0), true)) return at
  return -1
}

/** The position of the last occurrence at or before a position; -1 for none. */
export function lastIndexIn(text: string, part: string, from = text.length): number {
  if (part.length <= SHORT || part.length > text.length) return text.lastIndexOf(part, from)
  let last = -1
  for (const at of longOccurrences(text, part, 0, true)) {
    if (at > from) break
    last = at
  }
  return last
}

/** The positions of all occurrences of a text that is not empty, with or without those that overlap an earlier one. */
export function occurrences(text: string, part: string, overlapping: boolean): Iterable<number> {
  return part.length <= SHORT ? shortOccurrences(text, part, overlapping) : longOccurrences(text, part, 0, overlapping)
}

function* shortOccurrences(text: string, part: string, overlapping: boolean): Iterable<number> {
  const step = overlapping ? 1 : part.length
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + step)) yield at
}

/** By the algorithm of Knuth, Morris and Pratt. */
function* longOccurrences(text: string, part: string, from: number, overlapping: boolean): Iterable<number> {
  const borders = bordersOf(part)
  let matched = 0
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    while (matched > 0 && unit !== part.charCodeAt(matched)) matched = borders[matched - 1] as number
    if (unit === part.charCodeAt(matched)) matched += 1
    if (matched < part.length) continue
    yield at - part.length + 1
    matched = overlapping ? (borders[matched - 1] as number) : 0
  }
}

/** For each length of a start of the text, the length of the longest shorter start that it also ends with. */
function bordersOf(part: string): Int32Array {
  const borders = new Int32Array(part.length)
  for (let at = 1, length = 0; at < part.length; at++) {
    const unit = part.charCodeAt(at)
    while (length > 0 && unit !== part.charCodeAt(length)) length = borders[length - 1] as number
    if (unit === part.charCodeAt(length)) length += 1
    borders[at] = length
  }
  return borders
}
