import type { Action, Endpoint } from '../protocol/endpoint.ts'

/** Operations of an endpoint: the source of both descriptors and of the dispatcher. */
export interface Supported {
  readonly create: 'client' | 'server' | 'both' | null
  readonly read: boolean
  readonly update: boolean
  readonly delete: boolean
  readonly patch: boolean
  readonly query: boolean
  /** Actions of the endpoint itself, and of the resources of a collection. */
  readonly actions: readonly (readonly [string, Action])[]
  readonly resourceActions: readonly (readonly [string, Action])[]
}

export function supportedBy(endpoint: Endpoint): Supported {
  const collection = endpoint.kind === 'collection' ? endpoint : null
  return {
    create: collection?.create === undefined ? null : (endpoint.description.ids ?? 'both'),
    read: endpoint.read !== undefined,
    update: endpoint.update !== undefined,
    delete: collection?.delete !== undefined,
    patch: endpoint.patch !== undefined,
    query: collection?.query !== undefined,
    actions: Object.entries(endpoint.actions ?? {}),
    resourceActions: Object.entries(collection?.resourceActions ?? {}),
  }
}
