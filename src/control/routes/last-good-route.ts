import { parseRouteFile } from './route-files.ts'
import { planRoutes, type ServedRoute } from './route-plan.ts'

/** The route of a content that was served before; null where it does not parse as one. */
export function lastGoodRoute(file: string, content: Buffer | null): ServedRoute | null {
  if (content === null) return null
  const parsed = parseRouteFile(file, content.toString('utf8'), '')
  const [planned] = planRoutes(new Map([[file, parsed]]), new Map()).changes
  return planned !== undefined && 'put' in planned.change ? { source: planned.change.put, file } : null
}
