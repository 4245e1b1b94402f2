import {
  appendPointer,
  isPlainObject,
  type JsonDocument,
  type JsonObject,
  type JsonValue,
  type SourceRange,
} from '#json'
import type { Change, NewMember } from './change.ts'
import { indentAt, type SourceValues, sourceValues, ValuePrinter } from './printed-value.ts'

/** A part of a text and its replacement. */
interface TextEdit {
  readonly from: number
  readonly to: number
  readonly text: string
}

/** Applies changes of values that are not inside of each other to the text of their document; everything else stays as written. */
export function editedText(document: JsonDocument, changes: readonly Change[]): string {
  const editor = new DocumentEditor(document)
  for (const change of changes) editor.apply(change)
  return editor.text
}

class DocumentEditor {
  readonly #document: JsonDocument
  readonly #sources: SourceValues
  readonly #printer: ValuePrinter
  readonly #values = new Map<string, JsonValue>()
  readonly #edits: TextEdit[] = []

  constructor(document: JsonDocument) {
    this.#document = document
    this.#sources = sourceValues(document)
    for (const [value, pointer] of this.#sources) this.#values.set(pointer, value as JsonValue)
    this.#printer = new ValuePrinter(document, this.#sources)
  }

  get text(): string {
    let text = ''
    let at = 0
    const lineBreak = this.#document.text.includes('\r\n') ? '\r\n' : '\n'
    for (const edit of this.#edits.toSorted((a, b) => a.from - b.from || a.to - b.to)) {
      text += this.#document.text.slice(at, edit.from) + edit.text.replaceAll(/\r?\n/g, lineBreak)
      at = Math.max(at, edit.to)
    }
    return text + this.#document.text.slice(at)
  }

  apply(change: Change): void {
    const { pointer } = change
    if (change.kind === 'members') this.#setMembers(pointer, this.#values.get(pointer) as JsonObject, change.members)
    else if (change.kind === 'elements') this.#keepElements(pointer, change.kept)
    else if (change.kind === 'appended') this.#append(pointer, change.value)
    else this.#setValue(pointer, change.value)
  }

  /** Inside of an object only the members that differ change. */
  #setValue(pointer: string, value: JsonValue): void {
    const before = this.#values.get(pointer)
    const isNew = !this.#sources.has(value)
    if (isNew && isPlainObject(before) && isPlainObject(value) && Object.keys(value).some((key) => key in before)) {
      const members = Object.keys(value).map((key) => ({ name: key, key, value: value[key] as JsonValue }))
      this.#setMembers(pointer, before as JsonObject, members)
      return
    }
    const { start, end } = this.#range(pointer)
    this.#replace(start, end, this.#printer.print(value, indentAt(this.#document.text, start)))
  }

  #setMembers(pointer: string, before: JsonObject, members: readonly NewMember[]): void {
    const keys = Object.keys(before)
    const removed = new Set<string>()
    for (const key of keys) {
      const now = members.filter((member) => member.key === key)
      if (now.length === 0 && before[key] !== null) removed.add(key)
      else if (now.length > 0) this.#setMember(appendPointer(pointer, key), key, before[key] as JsonValue, now)
    }
    this.#remove(keys.map((key) => ({ range: this.#range(appendPointer(pointer, key)), isRemoved: removed.has(key) })))
    const added = members.filter((member) => !keys.includes(member.key))
    if (added.length > 0) this.#add(pointer, keys.filter((key) => !removed.has(key)).at(-1) ?? null, added)
  }

  #setMember(pointer: string, key: string, before: JsonValue, now: readonly NewMember[]): void {
    const [first] = now as readonly [NewMember, ...NewMember[]]
    const range = this.#range(pointer)
    if (now.length > 1) {
      const { indent, separator } = this.#layoutAt(range.from)
      this.#replace(range.from, range.end, this.#printed(now, indent).join(separator))
      return
    }
    if (first.name !== key) this.#replace(range.from, range.keyEnd, JSON.stringify(first.name))
    if (first.value !== before) this.#setValue(pointer, first.value)
  }

  #printed(members: readonly NewMember[], indent: string): string[] {
    return members.map(({ name, value }) => `${JSON.stringify(name)}: ${this.#printer.print(value, indent)}`)
  }

  #add(pointer: string, last: string | null, members: readonly NewMember[]): void {
    if (last === null) {
      const value = Object.fromEntries(members.map(({ name, value }) => [name, value]))
      const { start, end } = this.#range(pointer)
      this.#replace(start, end, this.#printer.print(value, indentAt(this.#document.text, start)))
      return
    }
    const { from, end } = this.#range(appendPointer(pointer, last))
    const { indent, separator } = this.#layoutAt(from)
    const text = this.#printed(members, indent).map((each) => separator + each)
    this.#replace(end, end, text.join(''))
  }

  /** Indentation and separator of the members of an object, as before one of them. */
  #layoutAt(member: number): { indent: string; separator: string } {
    const indent = indentAt(this.#document.text, member)
    const isFirst =
      this.#document.text.slice(this.#document.text.lastIndexOf('\n', member - 1) + 1, member).trim() === ''
    return { indent, separator: isFirst ? `,\n${indent}` : ', ' }
  }

  /** Adds an element to the end of a list. */
  #append(pointer: string, value: JsonValue): void {
    const list = this.#values.get(pointer) as readonly JsonValue[]
    if (list.length === 0) {
      this.#setValue(pointer, [value])
      return
    }
    const { from, end } = this.#range(appendPointer(pointer, list.length - 1))
    const { indent, separator } = this.#layoutAt(from)
    this.#replace(end, end, separator + this.#printer.print(value, indent))
  }

  #keepElements(pointer: string, kept: ReadonlySet<number>): void {
    const list = this.#values.get(pointer) as readonly JsonValue[]
    this.#remove(list.map((_, at) => ({ range: this.#range(appendPointer(pointer, at)), isRemoved: !kept.has(at) })))
  }

  /** Removes members or elements, each with its comma and, if it is alone there, its line. */
  #remove(entries: readonly { readonly range: SourceRange; readonly isRemoved: boolean }[]): void {
    const last = entries.findLastIndex(({ isRemoved }) => !isRemoved)
    for (const [at, { range, isRemoved }] of entries.entries()) {
      const comma = commaAfter(this.#document.text, range.end)
      // The comma of the last one that is kept separates it from removed ones.
      if (at === last && at < entries.length - 1 && comma !== null) this.#replace(comma, comma + 1, '')
      if (!isRemoved) continue
      const isOnLine = wholeLines(this.#document.text, range.from, comma === null ? range.end : comma + 1)
      this.#replace(isOnLine.from, isOnLine.to, '')
    }
  }

  #range(pointer: string): SourceRange {
    const range = this.#document.range(pointer)
    if (range === null) throw new Error(`no value at ${pointer}`)
    return range
  }

  #replace(from: number, to: number, text: string): void {
    this.#edits.push({ from, to, text })
  }
}

const BLANK_OR_COMMENT = /(?:[ \t\r\n]|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y

/** The offset of the comma after a value; null without one. */
function commaAfter(text: string, end: number): number | null {
  BLANK_OR_COMMENT.lastIndex = end
  BLANK_OR_COMMENT.test(text)
  const at = BLANK_OR_COMMENT.lastIndex
  return text[at] === ',' ? at : null
}

/** The range with the line breaks and blanks around it that would stay as an empty line, or as a double blank. */
function wholeLines(text: string, from: number, to: number): { from: number; to: number } {
  const lineStart = text.lastIndexOf('\n', from - 1) + 1
  const isFirst = text.slice(lineStart, from).trim() === ''
  const after = /^[ \t]*\r?\n?/.exec(text.slice(to))?.[0] ?? ''
  if (isFirst && after.endsWith('\n')) return { from: lineStart, to: to + after.length }
  return { from, to: to + (/^[ \t]*/.exec(text.slice(to))?.[0].length ?? 0) }
}
