import { call } from './client.ts'
import { routesPath } from './routes.ts'

/** An event of the audit of configuration changes, as far as it is shown. */
export interface ConfigEvent {
  readonly _id: string
  readonly timestamp: string
  readonly userId?: string
  readonly authentication?: string
  readonly client?: { readonly ip?: string }
  readonly operation: string
  readonly request?: { readonly detail?: { readonly action?: string } }
  readonly revision?: string
  readonly changedFields?: readonly string[]
  readonly response?: { readonly status?: string; readonly statusCode?: string }
}

/** Events beyond are not shown. */
const NEWEST = '100'

/** The newest changes of a route, also rejected ones and those of files, from the audit trail. */
export async function configEvents(router: string, id: string): Promise<readonly ConfigEvent[]> {
  const path = decodeURIComponent(routesPath(router).replace(/^api\//, ''))
  const objectId = `${path}/${id}`
  const search = new URLSearchParams({
    _queryFilter: `objectId eq ${JSON.stringify(objectId)}`,
    _sortKeys: '-timestamp',
    _pageSize: NEWEST,
  })
  const { results } = await call<{ results: ConfigEvent[] }>(`api/audit/config?${search}`)
  return results
}
