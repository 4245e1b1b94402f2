// The routes that units serve, by id: each change makes another map, so that the one before can be compared with it.
import { parseRouteFile, type RouteFile } from './route-files.ts'
import { type PlannedChange, planRoutes, type ServedRoute } from './route-plan.ts'

export type ServedRoutes = ReadonlyMap<string, ServedRoute>

/** The served route of a file. */
export function routeOfFile(routes: ServedRoutes, file: string): ServedRoute | undefined {
  return routes.values().find((served) => served.file === file)
}

/** The route of a content of a file; null without a content, and where it does not parse as one. */
export function routeOfContent(file: string, content: Buffer | null): ServedRoute | null {
  if (content === null) return null
  const parsed = parseRouteFile(file, content.toString('utf8'), '')
  const [planned] = planRoutes(new Map([[file, parsed]]), new Map()).changes
  return planned !== undefined && 'put' in planned.change ? { source: planned.change.put, file } : null
}

/** The routes after changes. */
export function withChanges(routes: ServedRoutes, changes: readonly PlannedChange[]): ServedRoutes {
  const changed = new Map(routes)
  for (const { change, file } of changes) {
    if ('put' in change) changed.set(change.put.id, { source: change.put, file })
    else if (changed.get(change.remove)?.file === file) changed.delete(change.remove)
  }
  return changed
}

/** Earlier versions in the place of routes that can not be served, with the ids of those. */
export function withEarlier(
  routes: ServedRoutes,
  replacements: readonly (readonly [earlier: PlannedChange, id: string])[],
): ServedRoutes {
  const changed = new Map(routes)
  for (const [{ change, file }, id] of replacements) {
    if (!('put' in change) || (id !== change.put.id && changed.has(change.put.id))) continue
    changed.delete(id)
    changed.set(change.put.id, { source: change.put, file })
  }
  return changed
}

/** Texts that differ in comments only are not deployed; new units and the history get the current ones. */
export function withTexts(routes: ServedRoutes, files: ReadonlyMap<string, RouteFile>): ServedRoutes {
  const changed = new Map(routes)
  for (const [id, served] of routes) {
    const found = files.get(served.file)
    if (found?.route?.id !== id || found.route.revision !== served.source.revision) continue
    if (found.text !== served.source.text)
      changed.set(id, { ...served, source: { ...served.source, text: found.text } })
  }
  return changed
}
