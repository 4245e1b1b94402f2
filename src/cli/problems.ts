import type { JsonDocument, Position } from '#json'
import type { Problem } from '#schema'

/** `file:line:column: /json/pointer: message`, as editors and terminals make it a link. */
export function formatPlacedProblem(
  file: string,
  document: JsonDocument | null,
  problem: Problem & Partial<Position>,
): string {
  const { line, column } = problem.line === undefined && document !== null ? document.locate(problem.pointer) : problem
  const place = line === undefined ? file : `${file}:${line}:${column}`
  return problem.pointer === '' ? `${place}: ${problem.message}` : `${place}: ${problem.pointer}: ${problem.message}`
}
