import type { QueryFilter } from '../query-filter/filter.ts'
import type { SortKey } from './sort-keys.ts'

/** Whether and how the whole result is counted. */
export type CountPolicy = 'NONE' | 'ESTIMATE' | 'EXACT'

/** Selects entries by a filter, a stored query, or an expression. */
export type QuerySelector =
  | { readonly filter: QueryFilter }
  | { readonly id: string; readonly parameters: Readonly<Record<string, string>> }
  | { readonly expression: string }

/** A validated query. */
export interface Query {
  readonly selector: QuerySelector
  readonly sortKeys: readonly SortKey[]
  /** 0: no paging. */
  readonly pageSize: number
  readonly cookie: string | null
  readonly offset: number
  readonly countPolicy: CountPolicy
  readonly countOnly: boolean
}

/** Larger page sizes are rejected (spec gap 30). */
export const MAX_PAGE_SIZE = 1_000
