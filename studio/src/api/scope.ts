import { queryOptions, useQuery } from '@tanstack/react-query'
import { call } from './client.ts'
import { routesPath } from './routes.ts'
import type { Schema } from './types.ts'

/** An object that a route inherits. */
export interface InheritedObject {
  readonly name: string
  readonly type: string
  readonly kind: string | null
  /** The route or `config.json` that declares it; null for a predefined object. */
  readonly from: string | null
}

/** What routes of a router can refer to, and the schema of a route. */
export interface RouteScope {
  readonly objects: readonly InheritedObject[]
  readonly schema: Schema
}

export function scopeQuery(router: string) {
  return queryOptions({
    queryKey: ['scope', router],
    queryFn: () => call<RouteScope>(`${routesPath(router)}?_action=scope`, { body: {} }),
    // config.json is read at start, and routes with a router in them change seldom.
    staleTime: 60_000,
  })
}

const NOTHING: readonly InheritedObject[] = []

/** The objects that routes of a router inherit; none until they are read. */
export function useInherited(router: string): readonly InheritedObject[] {
  return useQuery(scopeQuery(router)).data?.objects ?? NOTHING
}
