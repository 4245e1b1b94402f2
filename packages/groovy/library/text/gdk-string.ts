// Groovy's extension methods of strings.
import { caseFolded, equalsInAnyCase } from '@identity-gateway/regex'
import { boundedText, checkSize, checkText, spend, tick } from '../../meter.ts'
import { extend } from '../../registry/extend.ts'
import { coerceTo } from '../../runtime/coerce.ts'
import { normalIndex } from '../../runtime/indexing.ts'
import { charactersOf, iterationOf } from '../../runtime/items.ts'
import { collectItems, eachItem, loop, NEXT } from '../../runtime/iterate.ts'
import { patternOf } from '../../runtime/matching.ts'
import { andThen } from '../../runtime/pending.ts'
import { TextParts } from '../../runtime/text-parts.ts'
import type { ClassInfo } from '../../values/class-info.ts'
import { CharSequenceInterface, GStringClass, ObjectClass, StringClass } from '../../values/classes.ts'
import type { ClosureValue } from '../../values/closure.ts'
import { CollectionValue, type ListValue, type MapValue } from '../../values/collection.ts'
import { illegalArgument } from '../../values/exceptions.ts'
import { GStringValue } from '../../values/gstring.ts'
import { ObjectArray } from '../../values/java-array.ts'
import { toInt } from '../../values/number-tower.ts'
import { IntRange, type RangeValue } from '../../values/range.ts'
import { javaText, textOf } from '../../values/text.ts'
import type { Value } from '../../values/value.ts'
import { call } from '../closure/closure-calls.ts'
import { prefixLength } from '../closure/prefix-length.ts'
import { joinedTexts } from '../collection/iterable.ts'
import { boundsOf } from '../collection/list.ts'
import { listOf } from '../collection/similar.ts'
import { indexIn, occurrences } from './search.ts'
import { outOfBounds, repeated } from './string.ts'
import { StringBuilderValue } from './string-builder-value.ts'

function characterAt(text: string, index: number): string {
  const position = index < 0 ? index + text.length : index
  if (index < 0 && position < 0) normalIndex(index, text.length)
  if (position >= text.length) throw outOfBounds(`begin ${position}, end ${position + 1}, length ${text.length}`)
  return text.charAt(position)
}

function slice(text: string, range: IntRange): string {
  if (range.size === 0) return ''
  const { start, end, isReverse } = boundsOf(range, text.length)
  if (end >= text.length) throw outOfBounds(`begin ${start}, end ${end + 1}, length ${text.length}`)
  const part = boundedText(text.slice(start, end + 1))
  return isReverse ? reversed(part) : part
}

export function reversed(text: string): string {
  checkText(text.length)
  const units = new Uint16Array(text.length)
  for (let at = 0; at < text.length; at++) units[text.length - 1 - at] = text.charCodeAt(at)
  return Buffer.from(units.buffer).toString('utf16le')
}

function charactersAt(text: string, indexes: readonly Value[]): string {
  return indexes
    .map((index) => {
      tick()
      if (index instanceof IntRange) return slice(text, index)
      return index instanceof CollectionValue ? charactersAt(text, index.items) : characterAt(text, toInt(index))
    })
    .join('')
}

function splitLines(text: string): string[] {
  const lines: string[] = []
  const end = /\r\n|\r|\n/g
  let start = 0
  for (let found = end.exec(text); found !== null; found = end.exec(text)) {
    tick()
    checkSize(lines.push(text.slice(start, found.index)))
    start = end.lastIndex
  }
  lines.push(text.slice(start))
  return lines
}

/** Lines without line terminators; an empty last line is omitted. */
export function linesOf(text: string): string[] {
  const lines = splitLines(text)
  if (lines.at(-1) === '') lines.pop()
  return lines
}

function lastOf(text: string, length: number): string {
  return length > text.length ? text : text.slice(text.length - length)
}

function tokens(text: string, separators: string): Value {
  const parts: string[] = []
  const ends = new Uint8Array(0x1_0000)
  for (let index = 0; index < separators.length; index++) ends[separators.charCodeAt(index)] = 1
  let start = -1
  for (let index = 0; index <= text.length; index++) {
    const isEnd = index === text.length || ends[text.charCodeAt(index)] === 1
    if (isEnd && start >= 0) checkSize(parts.push(text.slice(start, index)))
    if (isEnd) start = -1
    else if (start < 0) start = index
  }
  return listOf(parts)
}

const WHITESPACE = ' \t\n\r\f'

function padding(length: number, pad: string): string {
  if (length <= 0) return ''
  return repeated(pad, Math.ceil(length / pad.length)).slice(0, length)
}

function centered(text: string, length: number, pad: string): string {
  const missing = length - text.length
  if (missing <= 0) return text
  const left = Math.floor(missing / 2)
  return padding(left, pad) + text + padding(missing - left, pad)
}

/** Removes the first occurrence of a string or a pattern. */
function minus(text: string, removed: string): string {
  const at = indexIn(text, removed)
  return at < 0 ? text : boundedText(text.slice(0, at) + text.slice(at + removed.length))
}

/** Increments or decrements the last character of a string. */
function stepped(text: string, step: 1 | -1): string {
  const edge = step > 0 ? 0xffff : 0
  if (text === '') return step > 0 ? '\0' : ''
  const code = text.charCodeAt(text.length - 1)
  if (code === edge) return step > 0 ? `${text}\0` : text.slice(0, -1)
  return text.slice(0, -1) + String.fromCharCode(code + step)
}

/** As Java's `stripIndent`: removes the common indentation and trailing spaces. */
function withoutIndent(text: string): string {
  const lines = splitLines(text)
  const last = lines.length - 1
  const counted = lines.filter((line, index) => index === last || line.trim() !== '')
  const indent = counted.reduce(
    (least, line) => Math.min(least, /^\s*/.exec(line)![0].length),
    Number.POSITIVE_INFINITY,
  )
  return lines.map((line) => (line.trim() === '' ? '' : line.slice(indent).trimEnd())).join('\n')
}

/** Joins lines, with a trailing line break if the original had one. */
function rejoined(original: string, lines: readonly string[]): string {
  return lines.join('\n') + (/[\r\n]$/.test(original) ? '\n' : '')
}

/** Expands tabs to spaces up to the next tab stop. */
function expandedTabs(text: string, stop: number): string {
  checkText(text.length * stop)
  const lines = text.split('\n').map((line) => {
    tick()
    let result = ''
    for (const each of line) result += each === '\t' ? ' '.repeat(stop - (result.length % stop)) : each
    return result
  })
  return lines.join('\n')
}

function withoutMargin(text: string, margin: string): string {
  return rejoined(
    text,
    linesOf(text).map((line) => {
      const start = /^[ \t\f]*/.exec(line)![0].length
      return line.startsWith(margin, start) ? line.slice(start + margin.length) : line
    }),
  )
}

/** Replaces characters of one set by those of another; `a-z` is a range. */
function translated(text: string, from: string, to: string): string {
  const [source, target] = [expandedRanges(from), expandedRanges(to)]
  const positions = new Map<string, number>()
  for (let at = source.length - 1; at >= 0; at--) positions.set(source.charAt(at), at)
  const parts = new TextParts()
  let start = 0
  for (let index = 0; index < text.length; index++) {
    const at = positions.get(text.charAt(index))
    if (at === undefined) continue
    parts.add(text.slice(start, index))
    parts.add(target[Math.min(at, target.length - 1)] ?? '')
    start = index + 1
  }
  parts.add(text.slice(start))
  return parts.text()
}

function expandedRanges(set: string): string {
  return set.replace(/(.)-(.)/gs, (_, first: string, last: string) => {
    const [from, to] = [first.charCodeAt(0), last.charCodeAt(0)]
    checkText(Math.abs(to - from))
    const step = from <= to ? 1 : -1
    return Array.from({ length: Math.abs(to - from) + 1 }, (_each, index) =>
      String.fromCharCode(from + step * index),
    ).join('')
  })
}

function between(text: string, from: string, to: string): string {
  const start = indexIn(text, from)
  if (start < 0) return ''
  const end = indexIn(text, to, start + from.length)
  return end < 0 ? '' : boundedText(text.slice(start + from.length, end))
}

function countOf(text: string, part: string): number {
  if (part === '') return text.length + 1
  let count = 0
  for (const _ of occurrences(text, part, true)) count += 1
  return count
}

/** Replaces keys of a map by their values, at each position the first key that matches. */
function replacedByMap(text: string, map: MapValue): string {
  const pairs = map.entries().map(({ key, value }) => [textOf(key), textOf(value)] as const)
  const parts = new TextParts()
  for (let at = 0; at < text.length; ) {
    tick()
    spend(pairs.length)
    const pair = pairs.find(([key]) => key !== '' && text.startsWith(key, at))
    parts.add(pair?.[1] ?? text.charAt(at))
    at += pair?.[0].length ?? 1
  }
  return parts.text()
}

extend(CharSequenceInterface, {
  'getAt(Number index): String': (self: Value, index: Value) => characterAt(textOf(self), toInt(index)),
  'getAt(Range range): String': (self: Value, range: RangeValue) =>
    range instanceof IntRange ? slice(textOf(self), range) : charactersAt(textOf(self), range.items),
  'getAt(Collection indexes): String': (self: Value, indexes: CollectionValue) =>
    charactersAt(textOf(self), indexes.items),
  'plus(Object value): String': (self: Value, value: Value) => boundedText(textOf(self) + textOf(value)),
  'minus(Object value): String': (self: Value, value: Value) => minus(textOf(self), textOf(value)),
  'multiply(Number count): String': (self: Value, count: Value) => {
    if (toInt(count) < 0)
      throw illegalArgument(`multiply() should be called with a number of 0 or greater not: ${toInt(count)}`)
    return repeated(textOf(self), toInt(count))
  },
  'leftShift(Object value): StringBuffer': (self: Value, value: Value) =>
    (self instanceof GStringValue
      ? new StringBuilderValue(textOf(self))
      : StringBuilderValue.buffer(textOf(self))
    ).append(javaText(value)),
  'next(): String': (self: Value) => stepped(textOf(self), 1),
  'previous(): String': (self: Value) => stepped(textOf(self), -1),
  'bitwiseNegate(): Pattern': (self: Value) => patternOf(textOf(self)),
  'isCase(Object value): boolean': (self: Value, value: Value) => value !== null && textOf(self) === textOf(value),
  'asBoolean(): boolean': (self: Value) => textOf(self) !== '',
  'capitalize(): String': (self: Value) => textOf(self).replace(/^./s, (each) => each.toUpperCase()),
  'uncapitalize(): String': (self: Value) => textOf(self).replace(/^./s, (each) => each.toLowerCase()),
  'reverse(): String': (self: Value) => reversed(textOf(self)),
  'center(Number length): String': (self: Value, length: Value) => centered(textOf(self), toInt(length), ' '),
  'center(Number length, CharSequence pad): String': (self: Value, length: Value, pad: Value) =>
    centered(textOf(self), toInt(length), textOf(pad)),
  'padLeft(Number length): String': (self: Value, length: Value) =>
    padding(toInt(length) - textOf(self).length, ' ') + textOf(self),
  'padLeft(Number length, CharSequence pad): String': (self: Value, length: Value, pad: Value) =>
    padding(toInt(length) - textOf(self).length, textOf(pad)) + textOf(self),
  'padRight(Number length): String': (self: Value, length: Value) =>
    textOf(self) + padding(toInt(length) - textOf(self).length, ' '),
  'padRight(Number length, CharSequence pad): String': (self: Value, length: Value, pad: Value) =>
    textOf(self) + padding(toInt(length) - textOf(self).length, textOf(pad)),
  'tokenize(): List': (self: Value) => tokens(textOf(self), WHITESPACE),
  'tokenize(CharSequence separators): List': (self: Value, separators: Value) =>
    tokens(textOf(self), textOf(separators)),
  'split(): String[]': (self: Value) =>
    new ObjectArray(StringClass, [...(tokens(textOf(self), WHITESPACE) as ListValue).items]),
  'readLines(): List': (self: Value) => listOf(linesOf(textOf(self))),
  'eachLine(Closure closure): Object': (self: Value, closure: ClosureValue) => {
    let last: Value = null
    return loop(
      linesOf(textOf(self)),
      (line, index) => (closure.parameterCount > 1 ? call(closure, line, index) : call(closure, line)),
      (result) => {
        last = result
        return NEXT
      },
      () => last,
    )
  },
  'eachWithIndex(Closure closure): Object': (self: Value, closure: ClosureValue) =>
    eachItem(
      charactersOf(textOf(self)),
      (item, index) => call(closure, item, index),
      () => self,
    ),
  'collect(Closure transform): List': (self: Value, closure: ClosureValue) =>
    collectItems(iterationOf(self), (item) => call(closure, item)),
  'collectReplacements(Closure transform): String': (self: Value, closure: ClosureValue) =>
    andThen(
      collectItems(iterationOf(self), (item) => andThen(call(closure, item), (made) => made ?? item)),
      (items) => joinedTexts((items as ListValue).items.map(textOf), ''),
    ),
  'normalize(): String': (self: Value) => textOf(self).replace(/\r\n?/g, '\n'),
  'denormalize(): String': (self: Value) => textOf(self).replace(/\r\n?/g, '\n'),
  'expand(): String': (self: Value) => expandedTabs(textOf(self), 8),
  'expand(int tabStop): String': (self: Value, stop: number) => expandedTabs(textOf(self), Math.max(stop, 1)),
  'stripIndent(): String': (self: Value) => withoutIndent(textOf(self)),
  'stripIndent(int count): String': (self: Value, count: number) =>
    rejoined(
      textOf(self),
      linesOf(textOf(self)).map((line) => line.slice(count)),
    ),
  'stripMargin(): String': (self: Value) => withoutMargin(textOf(self), '|'),
  'stripMargin(CharSequence margin): String': (self: Value, margin: Value) =>
    withoutMargin(textOf(self), textOf(margin)),
  'tr(CharSequence from, CharSequence to): String': (self: Value, from: Value, to: Value) =>
    translated(textOf(self), textOf(from), textOf(to)),
  'replace(Map replacements): String': (self: Value, map: MapValue) => replacedByMap(textOf(self), map),
  'take(int count): String': (self: Value, count: number) => boundedText(textOf(self).slice(0, Math.max(count, 0))),
  'drop(int count): String': (self: Value, count: number) => boundedText(textOf(self).slice(Math.max(count, 0))),
  'takeRight(int count): String': (self: Value, count: number) =>
    count <= 0 ? '' : boundedText(textOf(self).slice(-count)),
  'dropRight(int count): String': (self: Value, count: number) =>
    count <= 0 ? textOf(self) : boundedText(textOf(self).slice(0, -count)),
  'takeWhile(Closure condition): String': (self: Value, closure: ClosureValue) =>
    prefixLength(charactersOf(textOf(self)), closure, (length) => textOf(self).slice(0, length)),
  'dropWhile(Closure condition): String': (self: Value, closure: ClosureValue) =>
    prefixLength(charactersOf(textOf(self)), closure, (length) => textOf(self).slice(length)),
  'takeBefore(CharSequence text): String': (self: Value, part: Value) => {
    const at = indexIn(textOf(self), textOf(part))
    return at < 0 ? '' : boundedText(textOf(self).slice(0, at))
  },
  'takeAfter(CharSequence text): String': (self: Value, part: Value) => {
    const at = indexIn(textOf(self), textOf(part))
    return at < 0 ? '' : boundedText(textOf(self).slice(at + textOf(part).length))
  },
  'takeBetween(CharSequence enclosure): String': (self: Value, sign: Value) =>
    between(textOf(self), textOf(sign), textOf(sign)),
  'takeBetween(CharSequence from, CharSequence to): String': (self: Value, from: Value, to: Value) =>
    between(textOf(self), textOf(from), textOf(to)),
  'count(CharSequence text): int': (self: Value, part: Value) => countOf(textOf(self), textOf(part)),
  'containsIgnoreCase(CharSequence text): boolean': (self: Value, part: Value) =>
    indexIn(caseFolded(textOf(self)), caseFolded(textOf(part))) >= 0,
  'startsWithIgnoreCase(CharSequence text): boolean': (self: Value, part: Value) =>
    equalsInAnyCase(textOf(self).slice(0, textOf(part).length), textOf(part)),
  'endsWithIgnoreCase(CharSequence text): boolean': (self: Value, part: Value) =>
    equalsInAnyCase(lastOf(textOf(self), textOf(part).length), textOf(part)),
  'startsWithAny(CharSequence... texts): boolean': (self: Value, parts: Value[]) =>
    parts.some((part) => textOf(self).startsWith(textOf(part))),
  'endsWithAny(CharSequence... texts): boolean': (self: Value, parts: Value[]) =>
    parts.some((part) => textOf(self).endsWith(textOf(part))),
  'isAllWhitespace(): boolean': (self: Value) => /^\s*$/.test(textOf(self)),
  'asType(Class type): Object': (self: Value, type: ClassInfo) => coerceTo(self, type),
})

extend(GStringClass, {
  'getValues(): Object[]': (self: GStringValue) => new ObjectArray(ObjectClass, [...self.values]),
  'getStrings(): String[]': (self: GStringValue) => new ObjectArray(StringClass, [...self.strings]),
  'getValueCount(): int': (self: GStringValue) => self.values.length,
  'plus(String text): GString': appended,
  'plus(GString other): GString': joinedGStrings,
})

/** A GString plus a string is a GString. */
function appended({ strings, values }: GStringValue, text: string): Value {
  const last = boundedText((strings.at(-1) as string) + text)
  return new GStringValue([...strings.slice(0, -1), last], values)
}

function joinedGStrings(left: GStringValue, right: GStringValue): Value {
  const seam = (left.strings.at(-1) as string) + (right.strings[0] as string)
  return new GStringValue(
    [...left.strings.slice(0, -1), seam, ...right.strings.slice(1)],
    [...left.values, ...right.values],
  )
}
