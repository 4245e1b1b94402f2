import type { HealthCheck } from '#contracts'
import type { RouteStore } from './route-store.ts'

/** Files that a check names. */
const MAX_NAMED = 5

interface RouterStore {
  readonly path: string
  readonly store: Pick<RouteStore, 'failing' | 'files' | 'problemsOf'>
}

/** A degraded check for each router with files that are not served as they are written. Their last good versions serve. */
export function routeChecks(routers: readonly RouterStore[]): HealthCheck[] {
  return routers
    .filter(({ store }) => store.failing > 0)
    .map(({ path, store }) => {
      const failing = [...store.files.keys()].filter((file) => store.problemsOf(file).length > 0).sort()
      const named = failing.slice(0, MAX_NAMED).join(', ')
      const others = store.failing > MAX_NAMED ? ` and ${store.failing - MAX_NAMED} others` : ''
      return { name: `routes.${path}`, ok: true, state: 'degraded', detail: `not served as written: ${named}${others}` }
    })
}
