import type { Problem } from '#schema'
import type { RouteFile } from './route-files.ts'
import type { RoutePlan } from './route-plan.ts'

/** Result of an edit of several files: done, or the problems by file. `unavailable`: no unit is ready to build them. */
export type BatchOutcome = 'done' | 'not-written' | 'unavailable' | ReadonlyMap<string, readonly Problem[]>

type Edits = ReadonlyMap<string, RouteFile | null>

/** The files after the edits, in the order of their names. */
export function withEdits(files: ReadonlyMap<string, RouteFile>, edits: Edits): Map<string, RouteFile> {
  const edited = new Map(files)
  for (const [file, next] of edits) {
    if (next === null) edited.delete(file)
    else edited.set(file, next)
  }
  return new Map([...edited].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Problems that are visible without a unit: files that are no routes, and ids or names that others have. */
export function problemsOfEdits(edits: Edits, { refused }: RoutePlan): Map<string, readonly Problem[]> {
  const problems = new Map<string, readonly Problem[]>()
  for (const [file, next] of edits) if (next !== null && next.route === null) problems.set(file, next.problems)
  for (const [file, problem] of refused) if (edits.has(file)) problems.set(file, [problem])
  return problems
}
