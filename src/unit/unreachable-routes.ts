import type { Problem } from '#schema'
import type { LiveRouter } from './live-router.ts'
import type { Route } from './route.ts'

/** How many routes a warning lists. */
const MOST_LISTED = 10

/** A route that matches every request, and the warning about the routes after it. */
interface Shadow {
  readonly by: Route
  readonly warning: Problem
}

/** Finds routes of a router that no request can reach, since one before them takes everything; null where there are none. */
export function shadowIn({ routes, order }: LiveRouter): Shadow | null {
  const at = routes.findIndex(({ takesEverything }) => takesEverything)
  const by = routes[at]
  const behind = routes.slice(at + 1)
  if (by === undefined || behind.length === 0) return null
  const listed = behind.slice(0, MOST_LISTED).map((route) => JSON.stringify(route[order]))
  const more = behind.length - listed.length
  const names = `${listed.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  const what = order === 'name' ? 'a name' : 'a file name'
  const message = `the route takes every request, so that those tried after it are never reached: ${names}; give it a condition, or ${what} behind theirs`
  return { by, warning: { pointer: '/condition', message } }
}
