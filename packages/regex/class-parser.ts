import { type CharSet, charSet, foldCase, intersect, maxUnit, negate, union } from './char-set.ts'
import { readCharacterEscape, readSetEscape } from './escapes.ts'
import { type Flags, foldOf, type PatternReader } from './reader.ts'

const maxClassDepth = 20

/** Folds the case of a set according to the flags. */
export function folded(set: CharSet, flags: Flags): CharSet {
  const fold = foldOf(flags)
  return fold === null ? set : foldCase(set, fold)
}

/** Parses a character class after its `[`, with Java's unions `[a[bc]]` and intersections `[a-z&&[^b]]`. */
export function readClass(reader: PatternReader, flags: Flags, depth = 0): CharSet {
  const at = reader.position - 1
  if (depth > maxClassDepth) throw reader.error('character classes are nested too deep', at)
  const negated = reader.accept('^')
  let result: CharSet | null = null
  let operand: CharSet | null = null
  for (;;) {
    reader.skipComments(flags)
    if (reader.atEnd) throw reader.error('this character class has no closing "]"', at)
    if (reader.current === ']' && (operand !== null || result !== null)) break
    if (reader.accept('&&')) {
      result = both(result, operand)
      operand = null
      continue
    }
    const item = readItem(reader, flags, depth)
    operand = operand === null ? item : union(operand, item)
  }
  reader.position += 1
  const set = both(result, operand) ?? []
  return negated ? negate(set) : set
}

function both(left: CharSet | null, right: CharSet | null): CharSet | null {
  if (left === null || right === null) return left ?? right
  return intersect(left, right)
}

function readItem(reader: PatternReader, flags: Flags, depth: number): CharSet {
  if (reader.accept('[')) return readClass(reader, flags, depth + 1)
  if (reader.accept('\\Q')) return readQuoted(reader, flags)
  if (reader.current === '\\') {
    const at = reader.position
    reader.position += 1
    const set = readSetEscape(reader)
    if (set !== null) return folded(set, flags)
    reader.position = at
  }
  const at = reader.position
  const from = readUnit(reader)
  // A dash is a range only between two characters: in `[a-]` and `[a-[b]]` it is a character.
  const next = reader.pattern[reader.position + 1]
  if (reader.current !== '-' || next === ']' || next === '[' || next === undefined) {
    return folded(charSet([from, from]), flags)
  }
  reader.position += 1
  const to = readUnit(reader)
  if (to < from) throw reader.error('the ends of this range are in the wrong order', at)
  return folded(charSet([from, to]), flags)
}

function readUnit(reader: PatternReader): number {
  const at = reader.position
  const code = reader.accept('\\') ? readCharacterEscape(reader) : reader.take().charCodeAt(0)
  if (code > maxUnit || (code >= 0xd800 && code <= 0xdfff)) {
    throw reader.error('characters beyond U+FFFF are not supported in a character class', at)
  }
  return code
}

function readQuoted(reader: PatternReader, flags: Flags): CharSet {
  const end = reader.pattern.indexOf('\\E', reader.position)
  const text = reader.pattern.slice(reader.position, end === -1 ? undefined : end)
  reader.position = end === -1 ? reader.pattern.length : end + 2
  const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index))
  return folded(charSet(...units.map((unit): [number, number] => [unit, unit])), flags)
}
