/** The largest UTF-16 code unit; patterns match code units, as linear-time engines do. */
export const maxUnit = 0xffff

/** A set of UTF-16 code units as sorted, disjoint ranges: `[from, to, from, to, ...]`, both ends included. */
export type CharSet = readonly number[]

/** Sorts ranges and merges adjacent ones. */
export function charSet(...ranges: readonly (readonly [number, number])[]): CharSet {
  const sorted = [...ranges].sort((left, right) => left[0] - right[0])
  const result: number[] = []
  for (const [from, to] of sorted) {
    const last = result.length - 1
    if (last > 0 && from <= result[last]! + 1) result[last] = Math.max(result[last]!, to)
    else result.push(from, to)
  }
  return result
}

/** The set of the characters of a string. */
export const charsOf = (text: string): CharSet =>
  charSet(...Array.from({ length: text.length }, (_, at) => ofUnit(text, at)))

/** The set of one code unit of a text. */
export const ofUnit = (text: string, at: number): readonly [number, number] => [
  text.charCodeAt(at),
  text.charCodeAt(at),
]

/** The set of one range written as two characters, `a-z`. */
export const range = (from: string, to: string): CharSet => [from.charCodeAt(0), to.charCodeAt(0)]

export function union(...sets: readonly CharSet[]): CharSet {
  return charSet(...sets.flatMap(pairs))
}

/** Complement. */
export function negate(set: CharSet): CharSet {
  const result: number[] = []
  let next = 0
  for (const [from, to] of pairs(set)) {
    if (from > next) result.push(next, from - 1)
    next = to + 1
  }
  if (next <= maxUnit) result.push(next, maxUnit)
  return result
}

export const intersect = (left: CharSet, right: CharSet): CharSet => negate(union(negate(left), negate(right)))

// Cached: a pattern may use a large named set many times, and named sets are constants.
const foldedSets = { ascii: new WeakMap<CharSet, CharSet>(), unicode: new WeakMap<CharSet, CharSet>() }

/** Adds the other case of every letter: of ASCII only, as Java's `(?i)`, or of all, as `(?iu)`. */
export function foldCase(set: CharSet, alphabet: 'ascii' | 'unicode'): CharSet {
  const known = foldedSets[alphabet].get(set)
  if (known !== undefined) return known
  const folded = fold(set, alphabet)
  foldedSets[alphabet].set(set, folded)
  return folded
}

function fold(set: CharSet, alphabet: 'ascii' | 'unicode'): CharSet {
  const added: [number, number][] = []
  const last = alphabet === 'ascii' ? 0x7f : maxUnit
  for (const [from, to] of pairs(set)) {
    for (let unit = from; unit <= Math.min(to, last); unit += 1) {
      const character = String.fromCharCode(unit)
      for (const other of [character.toLowerCase(), character.toUpperCase()]) {
        const code = other.charCodeAt(0)
        if (other.length === 1 && code !== unit && code <= last) added.push([code, code])
      }
    }
  }
  return added.length === 0 ? set : charSet(...pairs(set), ...added)
}

/** The code unit of a set with one element; null for others. */
export const onlyUnit = (set: CharSet): number | null => (set.length === 2 && set[0] === set[1] ? set[0]! : null)

/** The set as a JavaScript character class or a single character. */
export function printSet(set: CharSet): string {
  const unit = onlyUnit(set)
  if (unit !== null) return printUnit(unit)
  const all = pairs(set)
  return `[${all.map(([from, to]) => (from === to ? printUnit(from) : `${printUnit(from)}-${printUnit(to)}`)).join('')}]`
}

function printUnit(unit: number): string {
  const character = String.fromCharCode(unit)
  return /[A-Za-z0-9]/.test(character) ? character : `\\u${unit.toString(16).padStart(4, '0')}`
}

function pairs(set: CharSet): [number, number][] {
  const result: [number, number][] = []
  for (let index = 0; index < set.length; index += 2) result.push([set[index]!, set[index + 1]!])
  return result
}

/** A fast membership test: a table for Latin-1, a binary search beyond. */
export function tester(set: CharSet): (unit: number) => boolean {
  const table = new Uint8Array(256)
  for (const [from, to] of pairs(set)) table.fill(1, Math.min(from, 256), Math.min(to + 1, 256))
  const ranges = Uint16Array.from(set)
  return (unit) => (unit < 256 ? table[unit] === 1 : search(ranges, unit))
}

function search(ranges: Uint16Array, unit: number): boolean {
  let low = 0
  let high = ranges.length / 2 - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    if (unit < ranges[middle * 2]!) high = middle - 1
    else if (unit > ranges[middle * 2 + 1]!) low = middle + 1
    else return true
  }
  return false
}
