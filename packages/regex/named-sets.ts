import { type CharSet, charSet, charsOf, intersect, negate, range, union } from './char-set.ts'

const lower = range('a', 'z')
const upper = range('A', 'Z')
const digit = range('0', '9')
const alpha = union(lower, upper)
const alnum = union(alpha, digit)
const graph = range('!', '~')

/** Line terminators of Java. */
export const lineTerminators: CharSet = charsOf('\n\r\u0085\u2028\u2029')
/** Vertical white space, `\v` of Java. */
export const verticalSpace: CharSet = union(charsOf('\v\f'), lineTerminators)
/** Letters, digits and the underscore. */
export const wordCharacters: CharSet = union(alnum, charsOf('_'))

const horizontalSpace = union(charsOf(' \t\u00a0\u1680\u180e\u202f\u205f\u3000'), range('\u2000', '\u200a'))
const space = charsOf(' \t\n\v\f\r')

const posix: ReadonlyMap<string, CharSet> = new Map([
  ['Lower', lower],
  ['Upper', upper],
  ['ASCII', range('\u0000', '\u007f')],
  ['Alpha', alpha],
  ['Digit', digit],
  ['Alnum', alnum],
  ['Punct', intersect(graph, negate(alnum))],
  ['Graph', graph],
  ['Print', range(' ', '~')],
  ['Blank', charsOf(' \t')],
  ['Cntrl', union(range('\u0000', '\u001f'), charsOf('\u007f'))],
  ['XDigit', union(digit, range('a', 'f'), range('A', 'F'))],
  ['Space', space],
])

const javaNames: ReadonlyMap<string, string> = new Map([
  ['javaLowerCase', 'Lowercase'],
  ['javaUpperCase', 'Uppercase'],
  ['javaAlphabetic', 'Alphabetic'],
  ['javaLetter', 'L'],
  ['javaDigit', 'Nd'],
  ['javaWhitespace', 'White_Space'],
])

const escapes: ReadonlyMap<string, CharSet> = new Map(
  Object.entries({ d: digit, w: wordCharacters, s: space, h: horizontalSpace, v: verticalSpace }).flatMap(
    ([letter, set]): [string, CharSet][] => [
      [letter, set],
      [letter.toUpperCase(), negate(set)],
    ],
  ),
)

/** The set of `\d`, `\W` and similar escapes; null for other letters. */
export function escapedSet(letter: string): CharSet | null {
  return escapes.get(letter) ?? null
}

const unicodeSets = new Map<string, CharSet | null>()

/** The set of `\p{name}` in Java; null for unknown names. */
export function propertySet(name: string): CharSet | null {
  const ascii = posix.get(name)
  if (ascii !== undefined) return ascii
  if (!/^[A-Za-z0-9_=]{1,64}$/.test(name)) return null
  const known = unicodeSets.get(name)
  if (known !== undefined) return known
  const property = unicodeProperty(name)
  const set = property === null ? null : unitsWith(property)
  // Cached: only names that exist, which are few.
  if (set !== null) unicodeSets.set(name, set)
  return set
}

function unicodeProperty(name: string): RegExp | null {
  const [key, value] = name.split('=') as [string, string?]
  if (value !== undefined) {
    const property = /^(?:gc|general_category)$/i.test(key) ? 'gc' : /^(?:sc|script|IsScript)$/i.test(key) ? 'sc' : null
    return property === null ? null : tryProperty(`${property}=${value}`)
  }
  const java = javaNames.get(name)
  if (java !== undefined) return tryProperty(java)
  const bare = name.startsWith('Is') ? name.slice(2) : name
  return tryProperty(bare) ?? tryProperty(`sc=${bare}`)
}

function tryProperty(property: string): RegExp | null {
  try {
    return new RegExp(`\\p{${property}}`, 'u')
  } catch {
    return null
  }
}

function unitsWith(property: RegExp): CharSet {
  const ranges: [number, number][] = []
  for (let unit = 0; unit <= 0xffff; unit += 1) {
    if (!property.test(String.fromCharCode(unit))) continue
    const last = ranges.at(-1)
    if (last !== undefined && last[1] === unit - 1) last[1] = unit
    else ranges.push([unit, unit])
  }
  return charSet(...ranges)
}
