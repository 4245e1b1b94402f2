import { createScanner } from 'jsonc-parser'
import { ofLatestTexts } from './latest-texts.ts'

/** What a gateway takes of a route. */
const MOST_VALUES = 10_000
const DEEPEST = 256
/** Characters beyond which a text is not read again at each key. */
const LARGE = 20_000

export function isLarge(text: string): boolean {
  return text.length > LARGE
}

/** Whether a text has no more values and levels than a gateway takes; a larger one would stop the page while it is typed. */
export const isWithinLimits = ofLatestTexts(hasFewValues)

function hasFewValues(text: string): boolean {
  const scanner = createScanner(text, true)
  let values = 0
  let depth = 0
  for (;;) {
    scanner.scan()
    switch (text[scanner.getTokenOffset()]) {
      case undefined:
        return true
      case '{':
      case '[':
        if (++depth > DEEPEST) return false
        values++
        break
      case '}':
      case ']':
        depth--
        break
      case ',':
        break
      case ':':
        // The name before it is no value.
        values--
        break
      default:
        values++
    }
    // The name that was scanned last may be one too many.
    if (values > MOST_VALUES + 1) return false
  }
}
