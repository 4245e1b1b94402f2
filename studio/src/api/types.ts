import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import { call, queryAll } from './client.ts'

/** A type in the palette. */
export interface TypeSummary {
  readonly _id: string
  readonly kind: string | null
  readonly summary: string
  readonly deprecated: string | null
  /** Contexts that its objects add to requests, and those that they need. */
  readonly provides: readonly string[]
  readonly needs: readonly string[]
  /** Types that stand before it in a chain. */
  readonly after: readonly string[]
}

/** A JSON Schema, as far as forms use it. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly deprecated?: boolean
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly $ref?: string
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly required?: readonly string[]
  readonly $defs?: Readonly<Record<string, Schema>>
}

/** A type with the schema of its objects. */
export interface TypeDetails extends TypeSummary {
  readonly schema: Schema
}

/** All types of the gateway, also those of its extensions. */
export const TYPES_QUERY = queryOptions({
  queryKey: ['types'],
  queryFn: () => queryAll<TypeSummary>('api/system/types', { _fields: 'kind,summary,deprecated,provides,needs,after' }),
  staleTime: Infinity,
})

export function typeQuery(name: string) {
  return queryOptions({
    queryKey: ['type', name],
    queryFn: () => call<TypeDetails>(`api/system/types/${encodeURIComponent(name)}`),
    staleTime: Infinity,
  })
}

const TYPE_NAME = /^[A-Za-z][A-Za-z0-9]*$/

export function useTypes() {
  return useQuery(TYPES_QUERY)
}

export function useType(name: string | null) {
  return useQuery({ ...typeQuery(name ?? ''), enabled: name !== null && TYPE_NAME.test(name) })
}

/** Reads a type outside of a component, from the cache where it is there; null for a type that the gateway does not know. */
export function fetchType(client: QueryClient, name: string): Promise<TypeDetails | null> {
  if (!TYPE_NAME.test(name)) return Promise.resolve(null)
  return client.fetchQuery(typeQuery(name)).catch(() => null)
}
