// Java's methods of String, also for GString and StringBuilder.
import { caseFolded, equalsInAnyCase } from '@identity-gateway/regex'
import { boundedText, checkCopy, checkText } from '../../meter.ts'
import { extend } from '../../registry/extend.ts'
import { itemsOf } from '../../runtime/items.ts'
import { TextParts } from '../../runtime/text-parts.ts'
import { classOf } from '../../values/class-of.ts'
import { CharSequenceInterface, primitives, StringClass } from '../../values/classes.ts'
import { compareTexts } from '../../values/compare.ts'
import {
  ClassCastException,
  illegalArgument,
  nullPointer,
  StringIndexOutOfBoundsException,
} from '../../values/exceptions.ts'
import { GStringValue } from '../../values/gstring.ts'
import { type ArrayValue, ByteArray, ObjectArray } from '../../values/java-array.ts'
import { CharValue } from '../../values/numbers.ts'
import { javaText, textOf } from '../../values/text.ts'
import { throwable } from '../../values/throwable.ts'
import type { Value } from '../../values/value.ts'
import { joinedTexts } from '../collection/iterable.ts'
import { bytesOf, textOfBytes } from './charsets.ts'
import { formatted } from './format.ts'
import type { LocaleValue } from './locale.ts'
import { indexIn, lastIndexIn, occurrences } from './search.ts'

export function outOfBounds(message: string): unknown {
  return throwable(StringIndexOutOfBoundsException, message)
}

function substring(self: Value, begin: number, end: number): string {
  const text = textOf(self)
  if (begin < 0 || end > text.length || begin > end) {
    throw outOfBounds(`begin ${begin}, end ${end}, length ${text.length}`)
  }
  return boundedText(text.slice(begin, end))
}

function charAt(self: Value, index: number): string {
  const text = textOf(self)
  if (index < 0 || index >= text.length) throw outOfBounds(`index ${index}, length ${text.length}`)
  return text.charAt(index)
}

export function repeated(text: string, count: number): string {
  checkText(text.length * Math.max(count, 0))
  return text.repeat(Math.max(count, 0))
}

/** Space characters as in `trim`: all up to U+0020. */
function trimmed(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && text.charCodeAt(start) <= 32) start += 1
  while (end > start && text.charCodeAt(end - 1) <= 32) end -= 1
  return boundedText(text.slice(start, end))
}

/** `replace` of every occurrence of a literal text. */
function replaced(text: string, target: string, replacement: string): string {
  if (target === '') {
    checkText(text.length + (text.length + 1) * replacement.length)
    return replacement + text.split('').join(replacement) + (text === '' ? '' : replacement)
  }
  const parts = new TextParts()
  let end = 0
  for (const at of occurrences(text, target, false)) {
    parts.add(text.slice(end, at))
    parts.add(replacement)
    end = at + target.length
  }
  if (end === 0) return text
  parts.add(text.slice(end))
  return parts.text()
}

function characterOf(value: Value): string {
  return typeof value === 'number' ? String.fromCodePoint(value) : textOf(value)
}

/** Strings are compared with strings, and builders with builders. */
function comparable(self: Value, other: Value): string {
  const isText = typeof other === 'string' || other instanceof GStringValue
  if (isText && (typeof self === 'string' || self instanceof GStringValue)) return textOf(other)
  if (other === null) throw nullPointer(null)
  if (classOf(self) !== classOf(other))
    throw throwable(ClassCastException, `${classOf(other).name} can not be compared with ${classOf(self).name}`)
  return textOf(other)
}

extend(CharSequenceInterface, {
  'length(): int': (self: Value) => textOf(self).length,
  'size(): int': (self: Value) => textOf(self).length,
  'isEmpty(): boolean': (self: Value) => textOf(self) === '',
  'isBlank(): boolean': (self: Value) => textOf(self).trim() === '',
  'charAt(int index): char': (self: Value, index: number) => CharValue.of(charAt(self, index).charCodeAt(0)),
  'codePointAt(int index): int': (self: Value, index: number) => {
    charAt(self, index)
    return textOf(self).codePointAt(index) as number
  },
  'substring(int begin): String': (self: Value, begin: number) => substring(self, begin, textOf(self).length),
  'substring(int begin, int end): String': substring,
  'subSequence(int begin, int end): String': substring,
  'indexOf(Object text): int': (self: Value, text: Value) => indexIn(textOf(self), characterOf(text)),
  'indexOf(Object text, int from): int': (self: Value, text: Value, from: number) =>
    indexIn(textOf(self), characterOf(text), from),
  'lastIndexOf(Object text): int': (self: Value, text: Value) => lastIndexIn(textOf(self), characterOf(text)),
  'lastIndexOf(Object text, int from): int': (self: Value, text: Value, from: number) =>
    from < 0 ? -1 : lastIndexIn(textOf(self), characterOf(text), from),
  'contains(CharSequence text): boolean': (self: Value, text: Value) => indexIn(textOf(self), textOf(text)) >= 0,
  'startsWith(String prefix): boolean': (self: Value, prefix: string) => textOf(self).startsWith(prefix),
  'startsWith(String prefix, int offset): boolean': (self: Value, prefix: string, offset: number) =>
    offset >= 0 && textOf(self).startsWith(prefix, offset),
  'endsWith(String suffix): boolean': (self: Value, suffix: string) => textOf(self).endsWith(suffix),
  'replace(CharSequence target, CharSequence replacement): String': (self: Value, target: Value, replacement: Value) =>
    replaced(textOf(self), textOf(target), textOf(replacement)),
  'replace(char target, char replacement): String': (self: Value, target: string, replacement: string) =>
    replaced(textOf(self), target, replacement),
  'trim(): String': (self: Value) => trimmed(textOf(self)),
  'strip(): String': (self: Value) => boundedText(textOf(self).trim()),
  'stripLeading(): String': (self: Value) => boundedText(textOf(self).trimStart()),
  'stripTrailing(): String': (self: Value) => boundedText(textOf(self).trimEnd()),
  'toUpperCase(): String': (self: Value) => textOf(self).toUpperCase(),
  'toLowerCase(): String': (self: Value) => textOf(self).toLowerCase(),
  'toUpperCase(Locale locale): String': (self: Value, { caseRules }: LocaleValue) =>
    textOf(self).toLocaleUpperCase(caseRules),
  'toLowerCase(Locale locale): String': (self: Value, { caseRules }: LocaleValue) =>
    textOf(self).toLocaleLowerCase(caseRules),
  'concat(String text): String': (self: Value, text: string) => boundedText(textOf(self) + text),
  'repeat(int count): String': (self: Value, count: number) => {
    if (count < 0) throw illegalArgument(`count is negative: ${count}`)
    return repeated(textOf(self), count)
  },
  'equalsIgnoreCase(String? other): boolean': (self: Value, other: string | null) =>
    other !== null && equalsInAnyCase(textOf(self), other),
  'compareTo(Object other): int': (self: Value, other: Value) => compareTexts(textOf(self), comparable(self, other)),
  'compareToIgnoreCase(String other): int': (self: Value, other: string) =>
    compareTexts(caseFolded(textOf(self)), caseFolded(other)),
  'contentEquals(CharSequence other): boolean': (self: Value, other: Value) => textOf(self) === textOf(other),
  'intern(): String': (self: Value) => textOf(self),
  'getBytes(): byte[]': (self: Value) => new ByteArray(bytesOf(textOf(self), 'UTF-8')),
  'getBytes(Object charset): byte[]': (self: Value, charset: Value) =>
    new ByteArray(bytesOf(textOf(self), textOf(charset))),
  'toCharArray(): char[]': (self: Value) => charsOf(textOf(self)),
  'getChars(): char[]': (self: Value) => charsOf(textOf(self)),
  'formatted(Object... values): String': (self: Value, values: Value[]) => formatted(textOf(self), values),
})

function charsOf(text: string): Value {
  checkCopy(text.length)
  return new ObjectArray(
    primitives.char,
    Array.from({ length: text.length }, (_, index) => CharValue.of(text.charCodeAt(index))),
  )
}

const joinedValues = (separator: Value, values: readonly Value[]): string =>
  joinedTexts(values.map(javaText), textOf(separator))

extend(StringClass, {
  'new(): String': () => '',
  'new(Object value): String': (value: Value) =>
    value instanceof ByteArray ? textOfBytes(value.bytes, 'UTF-8') : textOf(value),
  'new(byte[] bytes, Object charset): String': (bytes: ByteArray, charset: Value) =>
    textOfBytes(bytes.bytes, textOf(charset)),
  'static valueOf(Object value): String': (value: Value) => javaText(value),
  'static copyValueOf(char[] chars): String': (chars: ArrayValue) => joinedTexts(chars.items.map(textOf), ''),
  'static format(String format, Object... values): String': (format: string, values: Value[]) =>
    formatted(format, values),
  'static format(Locale locale, String format, Object... values): String': (
    _locale: Value,
    format: string,
    values: Value[],
  ) => formatted(format, values),
  'static join(CharSequence separator, Iterable values): String': (separator: Value, values: Value) =>
    joinedValues(separator, itemsOf(values)),
  'static join(CharSequence separator, Object... values): String': (separator: Value, values: Value[]) =>
    joinedValues(separator, values),
})
