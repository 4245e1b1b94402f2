import type { RouteFile } from './route-files.ts'
import type { ServedRoute } from './route-plan.ts'
import type { LocatedProblem, RouteProblems } from './route-problems.ts'

/** Status of a route file. */
export interface RouteStatus {
  readonly file: string
  readonly id: string | null
  readonly state: 'loaded' | 'failed'
  readonly problems: readonly LocatedProblem[]
}

/** Status of every file, by file name. */
export function statusOf(
  known: ReadonlyMap<string, RouteFile>,
  served: ReadonlyMap<string, ServedRoute>,
  failed: Pick<RouteProblems, 'files' | 'of'>,
): RouteStatus[] {
  const ids = new Map([...served.values()].map(({ file, source }) => [file, source.id]))
  const files = new Set([...known.keys(), ...failed.files()])
  return [...files].sort().map((file) => {
    const problems = failed.of(file)
    return {
      file,
      id: ids.get(file) ?? known.get(file)?.route?.id ?? null,
      state: problems.length > 0 ? 'failed' : 'loaded',
      problems,
    }
  })
}
