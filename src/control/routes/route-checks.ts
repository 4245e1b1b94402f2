import type { HealthCheck } from '#contracts'
import type { Deployment } from './deployment.ts'

/** Files that a check names. */
const MAX_NAMED = 5

interface RouterStore {
  readonly path: string
  readonly store: { readonly deployment: Pick<Deployment, 'failing' | 'files' | 'problemsOf'> }
}

/** A degraded check for each router with files that are not served as they are written. Their last good versions serve. */
export function routeChecks(routers: readonly RouterStore[]): HealthCheck[] {
  return routers
    .filter(({ store }) => store.deployment.failing > 0)
    .map(({ path, store: { deployment } }) => {
      const { failing: count, files } = deployment
      const failing = [...files.all.keys()].filter((file) => deployment.problemsOf(file).length > 0).sort()
      const named = failing.slice(0, MAX_NAMED).join(', ')
      const others = count > MAX_NAMED ? ` and ${count - MAX_NAMED} others` : ''
      return { name: `routes.${path}`, ok: true, state: 'degraded', detail: `not served as written: ${named}${others}` }
    })
}
