import type { ParsedRegex, RegexNode } from './ast.ts'
import { widthOf } from './ast.ts'
import { type CharSet, charsOf, negate, ofUnit } from './char-set.ts'
import { folded, readClass } from './class-parser.ts'
import { readCharacterEscape, readSetEscape } from './escapes.ts'
import { lineTerminators, verticalSpace } from './named-sets.ts'
import { type Flags, foldOf, noFlags, PatternReader, switchFlags } from './reader.ts'

const maxPatternLength = 16 * 1024
const maxDepth = 100
const maxCount = 10_000
const maxBehind = 255

const refusedEscapes: ReadonlyMap<string, string> = new Map([
  ['G', 'the end of the previous match, \\G'],
  ['X', 'a grapheme cluster, \\X'],
  ['N', 'a character by its Unicode name, \\N'],
  ['C', 'a single byte, \\C'],
])

const everything: CharSet = [0, 0xffff]
const anyLine: RegexNode = {
  type: 'choice',
  options: [{ type: 'sequence', items: [set(charsOf('\r')), set(charsOf('\n'))] }, set(verticalSpace)],
}

/** Parses a pattern of Java's syntax; throws a `RegexSyntaxError` that names the unsupported part. */
export function parseRegex(pattern: string, flags: string): ParsedRegex {
  const reader = new PatternReader(pattern)
  if (pattern.length > maxPatternLength) throw reader.error(`a pattern has at most ${maxPatternLength} characters`)
  return new RegexParser(reader, switchFlags(noFlags, flags, 0)).parse()
}

class RegexParser {
  readonly #reader: PatternReader
  readonly #names = new Map<string, number>()
  readonly #references: { readonly index: number | string; readonly at: number }[] = []
  #flags: Flags
  #groups = 0
  #depth = 0

  constructor(reader: PatternReader, flags: Flags) {
    this.#reader = reader
    this.#flags = flags
  }

  parse(): ParsedRegex {
    const root = this.#alternatives()
    if (!this.#reader.atEnd) throw this.#reader.error('unmatched ")"; write \\)')
    for (const { index, at } of this.#references) {
      if (typeof index === 'number' ? index > this.#groups : !this.#names.has(index)) {
        throw this.#reader.error(`there is no group ${index} to refer to`, at)
      }
    }
    return { root, groupCount: this.#groups, names: this.#names }
  }

  #alternatives(): RegexNode {
    const before = this.#flags
    this.#depth += 1
    if (this.#depth > maxDepth) throw this.#reader.error(`groups are nested deeper than ${maxDepth} levels`)
    const options = [this.#sequence()]
    while (this.#reader.accept('|')) options.push(this.#sequence())
    this.#depth -= 1
    this.#flags = before
    return options.length === 1 ? options[0]! : { type: 'choice', options }
  }

  #sequence(): RegexNode {
    const items: RegexNode[] = []
    for (;;) {
      this.#reader.skipComments(this.#flags)
      if (this.#reader.atEnd || this.#reader.current === '|' || this.#reader.current === ')') break
      if (this.#reader.accept('\\Q')) {
        this.#quoted(items)
        continue
      }
      const piece = this.#piece()
      if (piece !== null) items.push(this.#quantified(piece))
    }
    return items.length === 1 ? items[0]! : { type: 'sequence', items }
  }

  #quoted(items: RegexNode[]): void {
    const { pattern, position } = this.#reader
    const end = pattern.indexOf('\\E', position)
    const text = pattern.slice(position, end === -1 ? undefined : end)
    this.#reader.position = end === -1 ? pattern.length : end + 2
    const characters = [...text].map((character) => this.#character(character.codePointAt(0)!))
    const last = characters.pop()
    items.push(...characters)
    if (last !== undefined) items.push(this.#quantified(last))
  }

  #quantified(item: RegexNode): RegexNode {
    this.#reader.skipComments(this.#flags)
    const at = this.#reader.position
    const found = this.#reader.match(/(?:([*+?])|\{(\d{1,9})(?:(,)(\d{0,9}))?\})([?+]?)/y)
    if (found === null) return item
    const [, symbol, least, comma, most, suffix] = found
    const minimum = symbol === undefined ? Number(least) : symbol === '+' ? 1 : 0
    const open = symbol === undefined ? comma !== undefined && most === '' : symbol !== '?'
    const maximum = open ? Number.POSITIVE_INFINITY : symbol === '?' ? 1 : Number(most ?? least)
    if (minimum > maxCount || (!open && maximum > maxCount)) {
      throw this.#reader.error(`a count is at most ${maxCount}`, at)
    }
    if (maximum < minimum) throw this.#reader.error('the counts of this repetition are in the wrong order', at)
    // A part that matches only the empty string needs no count.
    const useful = widthOf(item)[1] === 0 ? 1 : Number.POSITIVE_INFINITY
    const repeat: RegexNode = {
      type: 'repeat',
      item,
      minimum: Math.min(minimum, useful),
      maximum: Math.min(maximum, useful),
      mode: suffix === '?' ? 'lazy' : 'greedy',
    }
    const result: RegexNode = suffix === '+' ? { type: 'atomic', item: repeat } : repeat
    if (/[*+?{]/.test(this.#reader.current)) throw this.#reader.error('this repetition repeats nothing')
    return result
  }

  #piece(): RegexNode | null {
    const reader = this.#reader
    const at = reader.position
    const first = reader.take()
    const { multiline, dotAll, unixLines } = this.#flags
    switch (first) {
      case '(':
        return this.#group(at)
      case '[':
        return set(readClass(reader, this.#flags))
      case '.':
        return set(dotAll ? everything : negate(unixLines ? charsOf('\n') : lineTerminators))
      case '^':
        return { type: 'assertion', kind: multiline ? 'lineStart' : 'start' }
      case '$':
        return { type: 'assertion', kind: multiline ? 'lineEnd' : 'end' }
      case '*':
      case '+':
      case '?':
      case '{':
        throw reader.error(`"${first}" repeats nothing here; write \\${first} for the character`, at)
      case '\\':
        return this.#escape()
      default:
        reader.position = at
        return this.#character(this.#codePoint())
    }
  }

  #codePoint(): number {
    const code = this.#reader.pattern.codePointAt(this.#reader.position)!
    this.#reader.position += code > 0xffff ? 2 : 1
    return code
  }

  #character(code: number): RegexNode {
    const text = String.fromCodePoint(code)
    const unit = (at: number) => set(folded(ofUnit(text, at), this.#flags))
    return text.length === 1 ? unit(0) : { type: 'sequence', items: [unit(0), unit(1)] }
  }

  #escape(): RegexNode {
    const reader = this.#reader
    const at = reader.position
    const reference = reader.match(/([1-9]\d?)|k<([A-Za-z][A-Za-z0-9]*)>/y)
    if (reference !== null) return this.#reference(reference, at)
    if (reader.match(/b\{/y) !== null) throw reader.error('the boundary \\b{...} is not supported', at)
    if (reader.accept('R')) return anyLine
    if (reader.accept('A')) return { type: 'assertion', kind: 'start' }
    if (reader.accept('z')) return { type: 'assertion', kind: 'end' }
    if (reader.accept('Z')) return { type: 'assertion', kind: 'endOrLastLine' }
    if (reader.accept('b')) return { type: 'assertion', kind: 'boundary' }
    if (reader.accept('B')) return { type: 'assertion', kind: 'notBoundary' }
    const refused = refusedEscapes.get(reader.current)
    if (refused !== undefined) throw reader.error(`${refused}, is not supported`, at)
    const named = readSetEscape(reader)
    return named === null ? this.#character(readCharacterEscape(reader)) : set(folded(named, this.#flags))
  }

  #reference(found: RegExpExecArray, at: number): RegexNode {
    let index = Number(found[1] ?? 0)
    if (found[2] !== undefined) {
      this.#references.push({ index: found[2], at })
      index = this.#names.get(found[2]) ?? 0
      if (index === 0) throw this.#reader.error(`there is no group ${found[2]} before this reference`, at)
    } else if (index > 9 && index > this.#groups) {
      // As in Java, `\11` is group 1 and a "1" unless eleven groups exist.
      this.#reader.position -= 1
      index = Math.trunc(index / 10)
    }
    this.#references.push({ index, at })
    return { type: 'backreference', index, fold: foldOf(this.#flags) }
  }

  #group(at: number): RegexNode | null {
    const reader = this.#reader
    const flags = reader.match(/\?([a-zA-Z]*(?:-[a-zA-Z]+)?)([:)])/y)
    if (flags !== null) {
      const switched = switchFlags(this.#flags, flags[1]!, at)
      if (flags[2] === ')') {
        this.#flags = switched
        return null
      }
      const outer = this.#flags
      this.#flags = switched
      const item = this.#close(this.#alternatives(), at)
      this.#flags = outer
      return item.type === 'sequence' || item.type === 'choice' ? item : { type: 'sequence', items: [item] }
    }
    if (reader.accept('?>')) return { type: 'atomic', item: this.#close(this.#alternatives(), at) }
    const look = reader.match(/\?(<?)([=!])/y)
    if (look !== null) return this.#look(look[1] === '<' ? 'behind' : 'ahead', look[2] === '!', at)
    const name = reader.match(/\?<([A-Za-z][A-Za-z0-9]*)>/y)
    if (name === null && reader.current === '?') throw reader.error('this kind of group is not supported', at)
    this.#groups += 1
    const index = this.#groups
    if (index > 99) throw reader.error('a pattern has at most 99 groups', at)
    if (name !== null) this.#name(name[1]!, index, at)
    return { type: 'group', index, item: this.#close(this.#alternatives(), at) }
  }

  #name(name: string, index: number, at: number): void {
    if (this.#names.has(name)) throw this.#reader.error(`there are two groups called ${name}`, at)
    this.#names.set(name, index)
  }

  #look(direction: 'ahead' | 'behind', negative: boolean, at: number): RegexNode {
    const item = this.#close(this.#alternatives(), at)
    if (direction === 'behind' && widthOf(item)[1] > maxBehind) {
      throw this.#reader.error(`a look-behind must have an obvious maximum length of at most ${maxBehind}`, at)
    }
    return { type: 'look', direction, negative, item }
  }

  #close(item: RegexNode, at: number): RegexNode {
    if (!this.#reader.accept(')')) throw this.#reader.error('this group has no closing ")"', at)
    return item
  }
}

function set(of: CharSet): RegexNode {
  return { type: 'set', set: of }
}
