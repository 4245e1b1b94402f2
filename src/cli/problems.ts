import { isAbsolute, relative } from 'node:path'
import { type JsonDocument, JsonSyntaxError, type Position } from '#json'
import { ConfigError, type Problem } from '#schema'

/** A problem as it is found: syntax errors know their place, others are looked up in the document. */
type FoundProblem = Problem & Partial<Position>

/** A problem and the place of it, as it is printed. */
export interface LocatedProblem extends FoundProblem {
  readonly file: string
}

/** Finds the line of each problem in its file. */
export function locateProblems(
  file: string,
  document: JsonDocument | null,
  problems: readonly FoundProblem[],
): LocatedProblem[] {
  return problems.map((problem) => ({ file, ...document?.locate(problem.pointer), ...problem }))
}

/** A path as it is shown: from where the user is, unless that leads upwards. */
export function shownPath(path: string): string {
  const near = relative(process.cwd(), path)
  if (near === '') return '.'
  return near.startsWith('..') || isAbsolute(near) ? path : near
}

/** `file:line:column: /json/pointer: message`, as editors and terminals make it a link. */
export function formatLocated({ file, line, column, pointer, message }: LocatedProblem): string {
  const shown = shownPath(file)
  const place = line === undefined ? shown : `${shown}:${line}:${column}`
  return pointer === '' ? `${place}: ${message}` : `${place}: ${pointer}: ${message}`
}

/** The problems an error stands for; any other error is one problem of the whole file. */
export function problemsOf(error: unknown): readonly FoundProblem[] {
  if (error instanceof ConfigError) return error.problems
  if (error instanceof JsonSyntaxError) {
    const { line, column } = error
    const reason = error.message.replace(/^line \d+, column \d+: /, '')
    return [{ pointer: '', message: `not valid JSON: ${reason}`, line, column }]
  }
  return [{ pointer: '', message: (error as Error).message }]
}

/** By file, then from the top of it to the bottom. */
export function byPlace(a: LocatedProblem, b: LocatedProblem): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0)
}
