// Values as text: as Groovy prints them (`[a:1]`), as Java does (`{a=1}`), and as `inspect` does (`['a':1]`).
import { boundedText, checkText, tick } from '../meter.ts'
import { settled } from '../runtime/pending.ts'
import { BigDecimal } from './big-decimal.ts'
import { ClassInfo } from './class-info.ts'
import { ClosureValue } from './closure.ts'
import { CollectionValue, MapEntry, MapValue } from './collection.ts'
import { GStringValue } from './gstring.ts'
import { ArrayValue } from './java-array.ts'
import { decimalText, doubleText, floatText } from './number-text.ts'
import { BigIntegerValue, ByteValue, CharValue, DoubleValue, FloatValue, ShortValue } from './numbers.ts'
import { RangeValue } from './range.ts'
import type { GroovyObject, Value } from './value.ts'

type Style = 'groovy' | 'java' | 'inspect'

/** Groovy's conversion to text: in GStrings, `+`, `println`, `join`, `toString()`. */
export function textOf(value: Value): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  return format(value, 'groovy')
}

/** As Java's `String.valueOf`. */
export function javaText(value: Value): string {
  return format(value, 'java')
}

/** As `inspect()`: strings in quotes. */
export function inspectText(value: Value): string {
  return format(value, 'inspect')
}

function format(value: Value, style: Style): string {
  switch (typeof value) {
    case 'string':
      return style === 'inspect' ? quoted(value) : value
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(value)
  }
  if (value === null) return 'null'
  return numberText(value) ?? compositeText(value, style) ?? objectText(value)
}

/** The text of a value whose class does not define `toString`; null for others. */
export function builtInText(value: Value): string | null {
  if (typeof value !== 'object' || value === null) return String(value)
  return numberText(value) ?? compositeText(value, 'groovy')
}

function numberText(value: GroovyObject): string | null {
  if (value instanceof BigDecimal) return value.toString()
  if (value instanceof DoubleValue) return doubleText(value.value)
  if (value instanceof FloatValue) return floatText(value.value)
  if (value instanceof BigIntegerValue) return decimalText(value.value)
  if (value instanceof ShortValue || value instanceof ByteValue) return String(value.value)
  return null
}

function compositeText(value: GroovyObject, style: Style): string | null {
  if (value instanceof GStringValue) return style === 'inspect' ? doubleQuoted(gstringText(value)) : gstringText(value)
  if (value instanceof CharValue) return value.text
  if (value instanceof RangeValue)
    return style === 'java' ? listText(value.items, value, style) : rangeText(value, style)
  if (value instanceof CollectionValue) return listText(value.items, value, style)
  if (value instanceof MapValue) return mapText(value, style)
  if (value instanceof ArrayValue) {
    if (value.component.name === 'char' && style !== 'inspect') return value.items.map((each) => textOf(each)).join('')
    return style === 'java' ? null : listText(value.items, value, style)
  }
  if (value instanceof MapEntry) {
    if (style === 'inspect') return `${format(value.key, style)}:${format(value.value, style)}`
    return `${javaText(value.key)}=${javaText(value.value)}`
  }
  if (value instanceof ClassInfo) return classText(value)
  return null
}

/** The result of the class's `toString`. */
function objectText(value: GroovyObject): string {
  const text = settled(value.klass.method('toString')!.invoke(value, []), 'toString')
  return typeof text === 'string' ? text : format(text, 'groovy')
}

export function classText(value: ClassInfo): string {
  if (value.kind === 'primitive') return value.name
  return `${value.kind === 'interface' ? 'interface' : 'class'} ${value.name}`
}

function rangeText(range: RangeValue, style: Style): string {
  return range.textWith((bound) => format(bound, style))
}

function gstringText({ strings, values }: GStringValue): string {
  tick()
  let text = strings[0] as string
  for (let index = 0; index < values.length; index++) {
    const value = values[index] as Value
    text += partText(value)
    text += strings[index + 1] as string
  }
  return boundedText(text)
}

/** The text of a value in a GString; a range is shown as a list there. */
function partText(value: Value): string {
  if (value instanceof ClosureValue) return lazyText(value)
  return value instanceof RangeValue ? listText(value.items, value, 'groovy') : textOf(value)
}

/** `${-> x}` is evaluated at each conversion to text. */
function lazyText(closure: ClosureValue): string {
  return textOf(settled(closure.call([]), 'a text'))
}

function listText(items: readonly Value[], self: GroovyObject, style: Style): string {
  return `[${joined(items.map((each) => (each === self ? '(this Collection)' : counted(each, style))))}]`
}

function mapText(map: MapValue, style: Style): string {
  const separator = style === 'java' ? '=' : ':'
  const one = (value: Value): string => (value === map ? '(this Map)' : counted(value, style))
  const inner = joined(map.entries().map(({ key, value }) => `${one(key)}${separator}${one(value)}`))
  if (style === 'java') return `{${inner}}`
  return inner === '' ? '[:]' : `[${inner}]`
}

function counted(value: Value, style: Style): string {
  tick()
  return format(value, style)
}

/** The text of nested lists can be very long, although each list is short. */
function joined(parts: readonly string[]): string {
  checkText(parts.reduce((sum, each) => sum + each.length + 2, 0))
  return parts.join(', ')
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\\', '\\\\'],
  ["'", "\\'"],
])

function doubleQuoted(text: string): string {
  return `"${quoted(text).slice(1, -1).replaceAll("\\'", "'").replaceAll('"', '\\"')}"`
}

function escaped(sign: string): string {
  tick()
  return ESCAPES.get(sign) as string
}

function quoted(text: string): string {
  checkText(text.length * 2)
  return `'${text.replace(/[\b\f\n\r\t\\']/g, escaped)}'`
}
