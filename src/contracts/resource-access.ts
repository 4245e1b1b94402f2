import type { Exchange } from '#http'
import { kind } from '#schema'

/** Returns the scopes a request needs. */
export interface ResourceAccess {
  requiredScopes(exchange: Exchange): ReadonlySet<string> | Promise<ReadonlySet<string>>
}

export const ResourceAccessKind = kind<ResourceAccess>('ResourceAccess')
