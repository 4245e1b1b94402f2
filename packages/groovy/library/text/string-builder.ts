import { boundedText, checkText } from '../../meter.ts'
import { extend, type MemberTable } from '../../registry/extend.ts'
import type { ClassInfo } from '../../values/class-info.ts'
import { StringBufferClass, StringBuilderClass } from '../../values/classes.ts'
import { javaText, textOf } from '../../values/text.ts'
import type { Value } from '../../values/value.ts'
import { reversed } from './gdk-string.ts'
import { outOfBounds } from './string.ts'
import { StringBuilderValue } from './string-builder-value.ts'

function changed(self: StringBuilderValue, text: string): StringBuilderValue {
  self.text = boundedText(text)
  return self
}

function checkOffset(self: StringBuilderValue, offset: number): void {
  if (offset < 0 || offset > self.text.length) throw outOfBounds(`offset ${offset}, length ${self.text.length}`)
}

const members = (klass: ClassInfo): MemberTable => ({
  'new()': () => new StringBuilderValue('', klass),
  'new(int capacity)': () => new StringBuilderValue('', klass),
  'new(CharSequence text)': (text: Value) => new StringBuilderValue(textOf(text), klass),
  'append(Object value): StringBuilder': (self: StringBuilderValue, value: Value) => self.append(javaText(value)),
  'append(CharSequence text, int start, int end): StringBuilder': (
    self: StringBuilderValue,
    text: Value,
    start: number,
    end: number,
  ) => self.append(textOf(text).slice(start, end)),
  'leftShift(Object value): StringBuilder': (self: StringBuilderValue, value: Value) => self.append(textOf(value)),
  'insert(int offset, Object value): StringBuilder': (self: StringBuilderValue, offset: number, value: Value) => {
    checkOffset(self, offset)
    return changed(self, self.text.slice(0, offset) + javaText(value) + self.text.slice(offset))
  },
  'delete(int start, int end): StringBuilder': (self: StringBuilderValue, start: number, end: number) => {
    checkOffset(self, start)
    return changed(self, self.text.slice(0, start) + self.text.slice(end))
  },
  'deleteCharAt(int index): StringBuilder': (self: StringBuilderValue, index: number) => {
    if (index < 0 || index >= self.text.length) throw outOfBounds(`index ${index},length ${self.text.length}`)
    return changed(self, self.text.slice(0, index) + self.text.slice(index + 1))
  },
  'replace(int start, int end, String text): StringBuilder': (
    self: StringBuilderValue,
    start: number,
    end: number,
    text: string,
  ) => {
    checkOffset(self, start)
    return changed(self, self.text.slice(0, start) + text + self.text.slice(end))
  },
  'reverse(): StringBuilder': (self: StringBuilderValue) => changed(self, reversed(self.text)),
  'setLength(int length): void': (self: StringBuilderValue, length: number) => {
    checkText(length)
    changed(self, self.text.slice(0, length).padEnd(length, '\0'))
  },
  'setCharAt(int index, char character): void': (self: StringBuilderValue, index: number, character: string) => {
    if (index < 0 || index >= self.text.length) throw outOfBounds(`index ${index},length ${self.text.length}`)
    changed(self, self.text.slice(0, index) + character + self.text.slice(index + 1))
  },
  'toString(): String': (self: StringBuilderValue) => boundedText(self.text),
})

extend(StringBuilderClass, members(StringBuilderClass))
extend(StringBufferClass, members(StringBufferClass))
