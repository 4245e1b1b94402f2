import { appendPointer, isPlainObject, type JsonDocument, type JsonValue } from '#json'

/** Values of a document that are objects or lists, with their pointers: new values refer to them. */
export type SourceValues = ReadonlyMap<unknown, string>

/** All objects and lists of a document. */
export function sourceValues({ value }: JsonDocument): SourceValues {
  const found = new Map<unknown, string>()
  const visit = (each: JsonValue, pointer: string): void => {
    if (Array.isArray(each)) {
      found.set(each, pointer)
      for (const [at, item] of each.entries()) visit(item, appendPointer(pointer, at))
    } else if (isPlainObject(each)) {
      found.set(each, pointer)
      for (const key of Object.keys(each)) visit(each[key] as JsonValue, appendPointer(pointer, key))
    }
  }
  visit(value, '')
  return found
}

const WIDTH = 80

/** Prints new values of a document; values that it has already are copied with their comments. */
export class ValuePrinter {
  readonly #document: JsonDocument
  readonly #sources: SourceValues
  /** One level of indentation, as the document has it. */
  readonly #unit: string

  constructor(document: JsonDocument, sources: SourceValues) {
    this.#document = document
    this.#sources = sources
    this.#unit = /\n( +|\t)/.exec(document.text)?.[1] ?? '  '
  }

  /** The value as text at a position whose line is indented by `indent`. */
  print(value: JsonValue, indent: string): string {
    const source = this.#sources.get(value)
    if (source !== undefined) return this.#copy(source, indent)
    if (Array.isArray(value)) {
      const items = value.map((item) => this.print(item, indent + this.#unit))
      return this.#enclosed('[', items, ']', indent)
    }
    if (isPlainObject(value)) return this.#enclosed('{', this.#members(value, indent + this.#unit), '}', indent)
    return JSON.stringify(value)
  }

  #members(value: Readonly<Record<string, unknown>>, indent: string): string[] {
    return Object.keys(value).map((key) => `${JSON.stringify(key)}: ${this.print(value[key] as JsonValue, indent)}`)
  }

  /** In one line where it is short. */
  #enclosed(open: string, parts: readonly string[], close: string, indent: string): string {
    if (parts.length === 0) return open + close
    const blank = open === '{' ? ' ' : ''
    const line = `${open}${blank}${parts.join(', ')}${blank}${close}`
    if (line.length <= WIDTH && !line.includes('\n')) return line
    return `${open}\n${parts.map((part) => indent + this.#unit + part).join(',\n')}\n${indent}${close}`
  }

  /** The text of a value, moved to another indentation. */
  #copy(pointer: string, indent: string): string {
    const range = this.#document.range(pointer)
    if (range === null) throw new Error(`no value at ${pointer}`)
    const { text } = this.#document
    const old = indentAt(text, range.start)
    if (old === indent) return text.slice(range.start, range.end)
    return text
      .slice(range.start, range.end)
      .split('\n')
      .map((line, at) => (at > 0 && line.startsWith(old) ? indent + line.slice(old.length) : line))
      .join('\n')
  }
}

/** The indentation of the line of an offset. */
export function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? ''
}
