import { type ContextKey, contextKey } from '#http'
import type { SqlRow } from '../data-source.ts'

/** Result of the statement of a SqlAttributesFilter. */
export interface SqlAttributes {
  /** The first row by column name; empty without one. */
  readonly row: SqlRow
}

/** The context `sqlAttributes`. */
export const SqlAttributesContext: ContextKey<SqlAttributes> = contextKey<SqlAttributes>('sqlAttributes')
