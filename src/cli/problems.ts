import { isAbsolute, relative } from 'node:path'
import { type JsonDocument, JsonSyntaxError, type Position } from '#json'
import { ConfigError, type Problem } from '#schema'
import { type Paint, printable } from './terminal.ts'

/** A problem without its file: syntax errors have a position, for others it is looked up by pointer. */
type FoundProblem = Problem & Partial<Position>

/** A problem with its file and position. */
export interface LocatedProblem extends FoundProblem {
  readonly file: string
}

/** Adds file, line and column to problems. */
export function locateProblems(
  file: string,
  document: JsonDocument | null,
  problems: readonly FoundProblem[],
): LocatedProblem[] {
  return problems.map((problem) => ({ file, ...document?.locate(problem.pointer), ...problem }))
}

/** A path for output: relative to the working directory if it is below it. */
export function shownPath(path: string): string {
  const near = relative(process.cwd(), path)
  if (near === '') return '.'
  return near.startsWith('..') || isAbsolute(near) ? path : near
}

/** `file:line:column: /json/pointer: message`, which editors and terminals show as a link. */
export function formatLocated(
  { file, line, column, pointer, message }: LocatedProblem,
  paint: Paint = (_style, text) => text,
): string {
  const shown = printable(shownPath(file))
  const place = paint('bold', line === undefined ? shown : `${shown}:${line}:${column}`)
  const text = message.split('\n').map(printable).join('\n')
  return pointer === '' ? `${place}: ${text}` : `${place}: ${paint('cyan', printable(pointer))}: ${text}`
}

/** The problems of a ConfigError or syntax error; any other error is one problem of the whole file. */
export function problemsOf(error: unknown): readonly FoundProblem[] {
  if (error instanceof ConfigError) return error.problems
  if (error instanceof JsonSyntaxError) {
    const { line, column } = error
    const reason = error.message.replace(/^line \d+, column \d+: /, '')
    return [{ pointer: '', message: `not valid JSON: ${reason}`, line, column }]
  }
  return [{ pointer: '', message: (error as Error).message }]
}

/** Sorts by file, line and column. */
export function byPosition(a: LocatedProblem, b: LocatedProblem): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0)
}
