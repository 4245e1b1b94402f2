import type { CharSet } from './char-set.ts'
import { negate } from './char-set.ts'
import { escapedSet, propertySet } from './named-sets.ts'
import type { PatternReader } from './reader.ts'

const controls: ReadonlyMap<string, string> = new Map([
  ['t', '\t'],
  ['n', '\n'],
  ['r', '\r'],
  ['f', '\f'],
  ['a', '\u0007'],
  ['e', '\u001b'],
])

/** Parses an escape of a character set after its backslash: `\d`, `\p{Alpha}`; null for other escapes. */
export function readSetEscape(reader: PatternReader): CharSet | null {
  const letter = reader.current
  if (letter === 'p' || letter === 'P') return readProperty(reader)
  const set = escapedSet(letter)
  if (set !== null) reader.position += 1
  return set
}

function readProperty(reader: PatternReader): CharSet {
  const at = reader.position
  const found = reader.match(/[pP](?:\{(\^?)([^}]*)\}|([A-Z]))/y)
  if (found === null) throw reader.error('expected a name after \\p, as in \\p{Alpha}', at)
  const name = found[2] ?? found[3]!
  const set = propertySet(name)
  if (set === null) throw reader.error(`the character class \\p{${name.slice(0, 64)}} is not supported`, at)
  const negated = found[0].startsWith('P') !== (found[1] === '^')
  return negated ? negate(set) : set
}

/** Parses an escape of one character after its backslash; returns the code point. */
export function readCharacterEscape(reader: PatternReader): number {
  const at = reader.position
  const hexadecimal = reader.match(/x\{([0-9A-Fa-f]{1,6})\}|x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})/y)
  if (hexadecimal !== null) {
    const code = Number.parseInt(hexadecimal[1] ?? hexadecimal[2] ?? hexadecimal[3]!, 16)
    if (code > 0x10ffff) throw reader.error(`there is no character \\x{${code.toString(16)}}`, at)
    return code
  }
  const octal = reader.match(/0([0-3]?[0-7]{1,2})/y)
  if (octal !== null) return Number.parseInt(octal[1]!, 8)
  const control = reader.match(/c([\x40-\x5f\x61-\x7a])/y)
  if (control !== null) return control[1]!.toUpperCase().charCodeAt(0) ^ 0x40
  const character = reader.take()
  const named = controls.get(character)
  if (named !== undefined) return named.charCodeAt(0)
  if (/[A-Za-z0-9]/.test(character)) throw reader.error(`the escape \\${character} is not supported`, at)
  return character.charCodeAt(0)
}
