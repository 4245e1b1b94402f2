import type { RouteSummary } from '../api/routes.ts'

/** A row of the list of routes. */
export interface RouteRow {
  readonly router: string
  readonly id: string
  readonly name: string
  readonly state: 'loaded' | 'failed' | 'degraded' | 'not deployed'
  readonly condition: string
  readonly isDraft: boolean
  /** Its problems with their JSON pointers; empty without any. */
  readonly problems: string
  /** The searched text, in lower case. */
  readonly words: string
}

/** Rows of the routes of a gateway, then those of drafts that were never deployed. */
export function rowsOf(
  router: string,
  routes: readonly RouteSummary[],
  drafts: readonly string[],
): readonly RouteRow[] {
  const ids = new Set(routes.map(({ _id }) => _id))
  const deployed = routes.map((route) => rowOf(router, route, drafts.includes(route._id)))
  return [...deployed, ...drafts.filter((id) => !ids.has(id)).map((id) => draftRow(router, id))]
}

function rowOf(router: string, route: RouteSummary, isDraft: boolean): RouteRow {
  const { _id: id, name = '', condition: given, _status: status } = route
  const condition = given === undefined ? '' : typeof given === 'string' ? given : JSON.stringify(given)
  const types = [...new Set(typesIn(route))].join(' ')
  return {
    router,
    id,
    name,
    state: status.state,
    condition,
    isDraft,
    problems: status.problems.map(({ pointer, message }) => `${pointer}: ${message}`).join('; '),
    words: `${id} ${router} ${name} ${status.state} ${condition} ${types} ${isDraft ? 'draft' : ''}`.toLowerCase(),
  }
}

function draftRow(router: string, id: string): RouteRow {
  const words = `${id} draft`.toLowerCase()
  return { router, id, name: '', state: 'not deployed', condition: '', isDraft: true, problems: '', words }
}

/** Every `type` in a route. */
function typesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(typesIn)
  if (typeof value !== 'object' || value === null) return []
  const { type } = value as { type?: unknown }
  const below = Object.values(value).flatMap(typesIn)
  return typeof type === 'string' ? [type, ...below] : below
}

/** Rows that have every word. */
export function filterRows(rows: readonly RouteRow[], words: string): readonly RouteRow[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  return wanted.length === 0 ? rows : rows.filter((row) => wanted.every((word) => row.words.includes(word)))
}
