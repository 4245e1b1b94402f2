import type { Problem } from '#schema'
import type { LiveRouter } from './live-router.ts'
import type { Route } from './route.ts'

/** Maximum number of routes listed in a warning. */
const MOST_LISTED = 10

/** A route that matches every request, and the warning about the routes after it. */
interface Shadow {
  readonly by: Route
  readonly warning: Problem
}

/** Unreachable routes: those after a route that matches every request. Null without any. */
export function shadowIn({ routes, order }: LiveRouter): Shadow | null {
  const at = routes.findIndex(({ matchesAll }) => matchesAll)
  const by = routes[at]
  const behind = routes.slice(at + 1)
  if (by === undefined || behind.length === 0) return null
  const listed = behind.slice(0, MOST_LISTED).map((route) => JSON.stringify(route[order]))
  const more = behind.length - listed.length
  const names = `${listed.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  const what = order === 'name' ? 'a name' : 'a file name'
  const message = `the route matches every request, so that the routes after it are unreachable: ${names}; give it a condition, or ${what} that sorts after theirs`
  return { by, warning: { pointer: '/condition', message } }
}
