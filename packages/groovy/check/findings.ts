import type { GroovyProblem, Position } from '../syntax/syntax-error.ts'

/** Problems of one file, one per position. */
export class Findings {
  readonly #file: string
  readonly #problems = new Map<string, GroovyProblem>()

  constructor(file: string) {
    this.#file = file
  }

  add({ line, column }: Position, message: string): void {
    const key = `${line}:${column}`
    if (!this.#problems.has(key)) this.#problems.set(key, { file: this.#file, line, column, message })
  }

  /** In source order. */
  sorted(): GroovyProblem[] {
    return [...this.#problems.values()].sort((left, right) => left.line - right.line || left.column - right.column)
  }
}
