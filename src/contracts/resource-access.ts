import type { Exchange } from '#http'
import { kind } from '#schema'

/** Says which scopes a request needs. */
export interface ResourceAccess {
  requiredScopes(exchange: Exchange): ReadonlySet<string> | Promise<ReadonlySet<string>>
}

/** Objects that say which scopes a request needs. */
export const ResourceAccessKind = kind<ResourceAccess>('ResourceAccess')
