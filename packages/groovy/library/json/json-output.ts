// Values of scripts as JSON, as groovy.json.JsonOutput writes them.

import { tick } from '../../meter.ts'
import { extend } from '../../registry/extend.ts'
import { settled } from '../../runtime/pending.ts'
import { publicProperties } from '../../runtime/public-properties.ts'
import { TextParts } from '../../runtime/text-parts.ts'
import { BigDecimal } from '../../values/big-decimal.ts'
import { declareClass } from '../../values/classes.ts'
import { ClosureValue } from '../../values/closure.ts'
import { CollectionValue, MapValue } from '../../values/collection.ts'
import { EnumValue } from '../../values/enum-value.ts'
import { illegalArgument } from '../../values/exceptions.ts'
import { ArrayValue } from '../../values/java-array.ts'
import { isNumber } from '../../values/number-tower.ts'
import { DoubleValue, FloatValue } from '../../values/numbers.ts'
import { textOf } from '../../values/text.ts'
import { throwable } from '../../values/throwable.ts'
import { Instance, type Value } from '../../values/value.ts'
import { DateValue } from '../time/date.ts'
import { fieldsAt, formatPattern, parsePattern } from '../time/date-pattern.ts'
import { closureContent } from './json-builder-content.ts'
import { JsonException } from './json-values.ts'

const JsonOutputClass = declareClass('groovy.json.JsonOutput')

const MAX_DEPTH = 200
const DATE = parsePattern("yyyy-MM-dd'T'HH:mm:ssZ")

/** Serialises a value to JSON. */
export function toJson(value: Value): string {
  const parts = new TextParts()
  write(value, parts, 0)
  return parts.text()
}

function write(value: Value, parts: TextParts, depth: number): void {
  tick()
  if (depth > MAX_DEPTH) throw throwable(JsonException, `a value is nested more than ${MAX_DEPTH} levels deep`)
  if (value === null || typeof value === 'boolean') parts.add(String(value))
  else if (isNumber(value)) parts.add(numberText(value))
  else if (value instanceof MapValue) writeMap(value, parts, depth)
  else if (value instanceof CollectionValue || value instanceof ArrayValue) writeList(value.items, parts, depth)
  else if (value instanceof ClosureValue) writeMap(settled(closureContent(value), 'JSON') as MapValue, parts, depth)
  else if (value instanceof DateValue) parts.add(`"${dateText(value)}"`)
  else if (value instanceof Instance && !(value instanceof EnumValue)) writeObject(value, parts, depth)
  else parts.add(quoted(textOf(value)))
}

function dateText({ millis }: DateValue): string {
  return formatPattern(DATE, fieldsAt(millis, 0, 0, 'UTC'))
}

function numberText(value: Value): string {
  const floating = value instanceof DoubleValue || value instanceof FloatValue
  if (floating && !Number.isFinite(value.value)) {
    throw throwable(
      JsonException,
      `Number ${textOf(value)} can't be serialized as JSON: infinite or NaN are not allowed in JSON.`,
    )
  }
  return value instanceof BigDecimal ? value.toString() : textOf(value)
}

function writeMap(map: MapValue, parts: TextParts, depth: number): void {
  writeMembers(
    map.entries().map(({ key, value }) => {
      if (key === null) throw illegalArgument("Maps with null keys can't be converted to JSON")
      return [textOf(key), value]
    }),
    parts,
    depth,
  )
}

function writeMembers(members: readonly (readonly [string, Value])[], parts: TextParts, depth: number): void {
  parts.add('{')
  members.forEach(([name, value], at) => {
    parts.add(`${at === 0 ? '' : ','}${quoted(name)}:`)
    write(value, parts, depth + 1)
  })
  parts.add('}')
}

function writeList(items: readonly Value[], parts: TextParts, depth: number): void {
  parts.add('[')
  items.forEach((each, at) => {
    if (at > 0) parts.add(',')
    write(each, parts, depth + 1)
  })
  parts.add(']')
}

/** An object of a class of a script: its public properties. */
function writeObject(object: Instance, parts: TextParts, depth: number): void {
  writeMembers(publicProperties(object), parts, depth)
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
])

/** Escapes characters beyond ASCII as `\uXXXX`. */
export function quoted(text: string): string {
  return `"${text.replace(/["\\]|[^\x20-\x7e]/g, (each) => {
    tick()
    return ESCAPES.get(each) ?? `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`
  })}"`
}

const SIGN = /[{}[\],:]/y
const WORD = /[^\s"{}[\],:]+/y

/** Strings, signs and words of a text, in one pass. */
function* tokensOf(text: string): Iterable<string> {
  for (let at = 0; at < text.length; ) {
    tick()
    const end = text[at] === '"' ? endOfString(text, at) : (endOf(SIGN, text, at) ?? endOf(WORD, text, at) ?? at)
    if (end > at) yield text.slice(at, end)
    at = Math.max(end, at + 1)
  }
}

function endOf(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : null
}

/** The position after the quote that ends a string; as in Groovy, text with a string that does not end is no JSON. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const sign = text[at]
    if (sign === '"') return at + 1
    if (sign === '\\') at += 1
  }
  throw throwable(JsonException, 'Lexing failed: a string does not end')
}

/** Formats JSON with line breaks and four spaces per level. */
export function prettyPrint(text: string): string {
  const parts = new TextParts()
  let level = 0
  const line = (): void => parts.add(`\n${'    '.repeat(Math.min(level, MAX_DEPTH))}`)
  for (const token of tokensOf(text)) {
    if (token === '{' || token === '[') {
      level += 1
      parts.add(token)
      line()
    } else if (token === '}' || token === ']') {
      level -= 1
      line()
      parts.add(token)
    } else if (token === ',') {
      parts.add(',')
      line()
    } else parts.add(token === ':' ? ': ' : token)
  }
  return parts.text()
}

extend(JsonOutputClass, {
  'static toJson(Object? value): String': toJson,
  'static prettyPrint(String text): String': prettyPrint,
})
