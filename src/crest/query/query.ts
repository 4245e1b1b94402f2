import type { QueryFilter } from '../query-filter/filter.ts'
import type { SortKey } from './sort-keys.ts'

/** Whether and how the whole result is counted. */
export type CountPolicy = 'NONE' | 'ESTIMATE' | 'EXACT'

/** Which entries are wanted: those a filter matches, those of a stored query, or those of an expression. */
export type QuerySelector =
  | { readonly filter: QueryFilter }
  | { readonly id: string; readonly parameters: Readonly<Record<string, string>> }
  | { readonly expression: string }

/** A query as it reaches a provider: everything is checked. */
export interface Query {
  readonly selector: QuerySelector
  readonly sortKeys: readonly SortKey[]
  /** 0: everything at once. */
  readonly pageSize: number
  readonly cookie: string | null
  readonly offset: number
  readonly countPolicy: CountPolicy
  readonly countOnly: boolean
}

/** More entries on a page than this are refused (spec gap 30). */
export const MAX_PAGE_SIZE = 1_000
