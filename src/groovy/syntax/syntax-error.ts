import type { ScriptPlace } from '../runtime/limits.ts'

/** A place in the text of a script; lines and columns count from 1. */
export interface Position {
  readonly line: number
  readonly column: number
  /** Characters from the start of the text. */
  readonly offset: number
}

/** One thing that keeps a script from being used. */
export interface GroovyProblem extends ScriptPlace {
  readonly message: string
}

/** A script that can not be compiled, with all that was found. */
export class GroovyCompileError extends Error {
  override readonly name: string = 'GroovyCompileError'
  readonly problems: readonly GroovyProblem[]

  constructor(problems: readonly GroovyProblem[]) {
    super(problems.map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`).join('\n'))
    this.problems = problems
  }
}

/** A text that is no script of the language, or uses a part of it that is left out: the first place that does not fit. */
export class GroovySyntaxError extends GroovyCompileError {
  override readonly name = 'GroovySyntaxError'

  constructor(message: string, file: string, { line, column }: Position) {
    super([{ file, line, column, message }])
  }
}
