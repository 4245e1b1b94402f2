import type { TriedRoutes } from '../units/unit-trial.ts'
import { readRouteFiles } from './route-files.ts'
import { planRoutes } from './route-plan.ts'

/** The routes that the files of a folder would be, and why others would not be served. */
export function triedRoutes(directory: string): TriedRoutes {
  const files = readRouteFiles(directory, new Map())
  const { changes, refused } = planRoutes(files, new Map(), () => true)
  const invalid = [...files.values()].flatMap(({ file, problems }) => problems.map((problem) => ({ ...problem, file })))
  return {
    sources: changes.flatMap(({ change }) => ('put' in change ? [change.put] : [])),
    problems: [...invalid, ...Array.from(refused, ([file, problem]) => ({ ...problem, file }))],
  }
}
