import type { ScriptLocation } from '../meter.ts'

/** A position in a script; lines and columns start at 1. */
export interface Position {
  readonly line: number
  readonly column: number
  /** Characters from the start of the source. */
  readonly offset: number
}

/** A compile error. */
export interface GroovyProblem extends ScriptLocation {
  readonly message: string
}

/** A script that does not compile, with all compile errors. */
export class GroovyCompileError extends Error {
  override readonly name: string = 'GroovyCompileError'
  readonly problems: readonly GroovyProblem[]

  constructor(problems: readonly GroovyProblem[]) {
    super(problems.map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`).join('\n'))
    this.problems = problems
  }
}

/** The first syntax error of a script, or its first use of unsupported syntax. */
export class GroovySyntaxError extends GroovyCompileError {
  override readonly name = 'GroovySyntaxError'

  constructor(message: string, file: string, { line, column }: Position) {
    super([{ file, line, column, message }])
  }
}
