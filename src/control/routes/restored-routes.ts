import type { UnitLink } from '../units/unit-link.ts'
import { prepareDeployment } from './deployment.ts'
import type { ServedRoute } from './route-plan.ts'
import type { LocatedProblem } from './route-problems.ts'
import type { ServedRoutes } from './served-routes.ts'

/** A problem of a route of which units could build no version. */
export interface LostRoute extends LocatedProblem {
  readonly file: string
}

/** Routes of units that are about to replace others. */
interface NewRoutes {
  readonly served: ServedRoutes
  readonly directory: string
  readonly units: readonly UnitLink[]
  /** The route of a file that the others serve. */
  before(file: string, id: string): ServedRoute | null
  problemsOf(file: string): readonly LocatedProblem[]
}

/** Routes that the units could not build get the version that the others serve; the problems of those without one. */
export async function restoreRoutes({ served, directory, units, before, problemsOf }: NewRoutes): Promise<LostRoute[]> {
  const lost: LostRoute[] = []
  const older: { readonly id: string; readonly earlier: ServedRoute }[] = []
  for (const [id, { file, source, incomplete }] of served.routes) {
    const earlier = incomplete === true ? before(file, id) : null
    if (earlier === null || earlier.incomplete === true) continue
    if (earlier.source.revision !== source.revision) older.push({ id, earlier })
    else lost.push(...problemsOf(file).map((problem) => ({ ...problem, file })))
  }
  if (older.length === 0) return lost
  const changes = older.map(({ earlier }) => ({ put: earlier.source }))
  const { problems, commit } = await prepareDeployment(units, directory, changes)
  await commit([...older.keys()].filter((at) => !problems.has(at)))
  for (const [at, { id, earlier }] of older.entries()) {
    const found = problems.get(at)
    if (found === undefined) served.restore(id, earlier)
    else lost.push(...found.map((problem) => ({ ...problem, file: earlier.file })))
  }
  return lost
}
