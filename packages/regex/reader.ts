import { RegexSyntaxError } from './errors.ts'

/** Active flags of Java at a position of a pattern. */
export interface Flags {
  readonly ignoreCase: boolean
  readonly dotAll: boolean
  readonly multiline: boolean
  readonly comments: boolean
  readonly unicodeCase: boolean
  readonly unixLines: boolean
}

export const noFlags: Flags = {
  ignoreCase: false,
  dotAll: false,
  multiline: false,
  comments: false,
  unicodeCase: false,
  unixLines: false,
}

/** The letters whose case is ignored: as in Java, those of ASCII unless `(?u)` is set too; null for none. */
export type Fold = 'ascii' | 'unicode' | null

export const foldOf = ({ ignoreCase, unicodeCase }: Flags): Fold =>
  ignoreCase ? (unicodeCase ? 'unicode' : 'ascii') : null

const flagLetters: ReadonlyMap<string, keyof Flags> = new Map([
  ['i', 'ignoreCase'],
  ['s', 'dotAll'],
  ['m', 'multiline'],
  ['x', 'comments'],
  ['u', 'unicodeCase'],
  ['d', 'unixLines'],
])

/** Switches flags by their letters, as in `(?i-s)`. */
export function switchFlags(flags: Flags, letters: string, offset: number): Flags {
  let on = true
  let result = flags
  for (const letter of letters) {
    if (letter === '-') {
      on = false
      continue
    }
    const flag = flagLetters.get(letter)
    if (flag === undefined)
      throw new RegexSyntaxError(`the flag "${letter}" is not supported, only i, s, m, x, u and d`, offset)
    result = { ...result, [flag]: on }
  }
  return result
}

/** A pattern and a position in it. */
export class PatternReader {
  readonly pattern: string
  position = 0

  constructor(pattern: string) {
    this.pattern = pattern
  }

  get atEnd(): boolean {
    return this.position >= this.pattern.length
  }

  /** The character at the position, empty at the end. */
  get current(): string {
    return this.pattern[this.position] ?? ''
  }

  take(): string {
    const character = this.current
    if (character === '') throw this.error('the pattern ends too early')
    this.position += 1
    return character
  }

  /** Consumes `text` if it is next. */
  accept(text: string): boolean {
    if (!this.pattern.startsWith(text, this.position)) return false
    this.position += text.length
    return true
  }

  /** Consumes the match of a sticky expression. */
  match(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.position
    const found = expression.exec(this.pattern)
    if (found !== null) this.position = expression.lastIndex
    return found
  }

  /** Skips blanks and `#` comments with the flag `x`. */
  skipComments(flags: Flags): void {
    if (flags.comments) this.match(/(?:[ \t\n\v\f\r]|#[^\n]*)*/y)
  }

  /** An error at the position, or at `offset`. */
  error(message: string, offset: number = this.position): RegexSyntaxError {
    return new RegexSyntaxError(`${message} (at offset ${offset} of the regular expression)`, offset)
  }
}
