import type { ScriptPlace } from '../runtime/limits.ts'

/** A place in the text of a script; lines and columns count from 1. */
export interface Position {
  readonly line: number
  readonly column: number
  /** Characters from the start of the text. */
  readonly offset: number
}

/** A text that is no script of the language, or uses a part of it that is left out. */
export class GroovySyntaxError extends Error {
  override readonly name = 'GroovySyntaxError'
  readonly place: ScriptPlace
  /** The message without the place. */
  readonly reason: string

  constructor(reason: string, file: string, { line, column }: Position) {
    super(`${file}:${line}:${column}: ${reason}`)
    this.reason = reason
    this.place = { file, line, column }
  }
}
