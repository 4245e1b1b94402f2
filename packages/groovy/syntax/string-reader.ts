import type { Lexer } from './lexer.ts'
import type { Position } from './syntax-error.ts'
import type { GStringPart, Token } from './tokens.ts'

/** Syntax of one kind of string literal. */
interface Style {
  readonly open: string
  readonly close: string
  readonly multiline: boolean
  readonly interpolates: boolean
  readonly escapes: 'backslash' | 'slash' | 'dollar'
}

const STYLES: readonly Style[] = [
  { open: "'''", close: "'''", multiline: true, interpolates: false, escapes: 'backslash' },
  { open: '"""', close: '"""', multiline: true, interpolates: true, escapes: 'backslash' },
  { open: "'", close: "'", multiline: false, interpolates: false, escapes: 'backslash' },
  { open: '"', close: '"', multiline: false, interpolates: true, escapes: 'backslash' },
  { open: '$/', close: '/$', multiline: true, interpolates: true, escapes: 'dollar' },
  { open: '/', close: '/', multiline: true, interpolates: true, escapes: 'slash' },
]

const NAME = /[\p{L}_][\p{L}\p{N}_]*/uy
const PATH_STEP = /\.(?=[\p{L}_])/uy
const UNICODE = /\\u+([0-9a-fA-F]{4})/y
const OCTAL = /\\([0-3]?[0-7]{1,2})/y
const LINE_END = /\\\r?\n/y

const SIMPLE_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['b', '\b'],
  ['f', '\f'],
  ['s', ' '],
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
  ['$', '$'],
])

/** Reads a string literal of any kind. */
export class StringReader {
  readonly #lexer: Lexer
  #strings: string[] = []
  #parts: GStringPart[] = []
  #text = ''

  constructor(lexer: Lexer) {
    this.#lexer = lexer
  }

  /** Whether a string starts at the lexer's position. */
  begins(character: string, slashDivides: boolean): boolean {
    if (character === "'" || character === '"') return true
    if (slashDivides) return false
    const next = this.#lexer.text[this.#lexer.position + 1]
    if (character === '$') return next === '/'
    return character === '/' && next !== '='
  }

  read(position: Position): Token {
    const lexer = this.#lexer
    const style = STYLES.find(({ open }) => lexer.text.startsWith(open, lexer.position)) as Style
    lexer.advance(style.open.length)
    while (!this.#atEnd(style)) this.#readPiece(style, position)
    lexer.advance(style.close.length)
    const token = { text: this.#text, position, end: lexer.position }
    if (this.#parts.length === 0) return { ...token, kind: 'string' }
    return { ...token, kind: 'gstring', strings: [...this.#strings, this.#text], parts: this.#parts }
  }

  #atEnd({ close }: Style): boolean {
    const { text, position } = this.#lexer
    return text.startsWith(close, position)
  }

  #readPiece(style: Style, start: Position): void {
    const lexer = this.#lexer
    const character = lexer.text[lexer.position]
    if (character === undefined) throw lexer.fail(`this string is not closed with ${style.close}`, start)
    if (character === '\n' && !style.multiline) {
      throw lexer.fail(
        `this string is not closed with ${style.close} on its line; use three quotes for several lines`,
        start,
      )
    }
    if (character === '\\') this.#readEscape(style)
    else if (character === '$' && style.interpolates) this.#readDollar(style)
    else this.#add(character, 1)
  }

  /** `\r\n` in the source counts as one newline, as in Groovy. */
  #add(text: string, length: number): void {
    const lexer = this.#lexer
    if (text === '\r' && lexer.text[lexer.position + 1] === '\n') {
      lexer.advance(1)
      return
    }
    this.#text += text
    lexer.advance(length)
  }

  #readEscape(style: Style): void {
    const [text, length] = this.#escape(style)
    this.#add(text, length)
  }

  /** The character and length of an escape. */
  #escape({ escapes, close }: Style): readonly [string, number] {
    const lexer = this.#lexer
    const unicode = lexer.match(UNICODE)
    if (unicode !== null) return [String.fromCharCode(Number.parseInt(unicode.slice(-4), 16)), unicode.length]
    if (escapes === 'slash' && lexer.text.startsWith(close, lexer.position + 1)) return [close, 2]
    if (escapes !== 'backslash') return ['\\', 1]
    const lineEnd = lexer.match(LINE_END)
    if (lineEnd !== null) return ['', lineEnd.length]
    const octal = lexer.match(OCTAL)
    if (octal !== null) return [String.fromCharCode(Number.parseInt(octal.slice(1), 8)), octal.length]
    const sign = lexer.text[lexer.position + 1] ?? ''
    const escaped = SIMPLE_ESCAPES.get(sign)
    if (escaped !== undefined) return [escaped, 2]
    throw lexer.fail(
      `\\${sign} is not an escape sequence; write \\\\ for a backslash, or use a /slashy string/ for a pattern`,
    )
  }

  #readDollar(style: Style): void {
    const lexer = this.#lexer
    const next = lexer.text[lexer.position + 1] ?? ''
    if (style.escapes === 'dollar' && (next === '$' || next === '/')) {
      this.#add(next, 2)
      return
    }
    const position = lexer.at()
    if (next === '{') {
      lexer.advance(2)
      this.#addPart({ position, tokens: lexer.readEmbedded(), path: [] })
      return
    }
    lexer.advance(1)
    const path = this.#readPath()
    if (path.length > 0) this.#addPart({ position, tokens: null, path })
    else if (style.escapes !== 'backslash') this.#text += '$'
    else {
      const reason =
        'a $ in a double-quoted string begins an expression; write \\$ for the character, or use single quotes'
      throw lexer.fail(reason, position)
    }
  }

  #readPath(): { name: string; position: Position }[] {
    const lexer = this.#lexer
    const path: { name: string; position: Position }[] = []
    for (let name = lexer.match(NAME); name !== null; name = lexer.match(NAME)) {
      path.push({ name, position: lexer.at() })
      lexer.advance(name.length)
      if (lexer.match(PATH_STEP) === null) break
      lexer.advance(1)
    }
    return path
  }

  #addPart(part: GStringPart): void {
    this.#strings.push(this.#text)
    this.#text = ''
    this.#parts.push(part)
  }
}
