import type { SqlRow, SqlValue } from '#contracts'
import type { BoundStatement } from './placeholders.ts'

/** One connection to a database, used by one statement at a time. */
export interface SqlConnection {
  /** The first row of the result, null without one. Throws SqlError; one that is not `failed` leaves the connection closed. */
  firstRow(statement: BoundStatement, values: readonly SqlValue[]): Promise<SqlRow | null>
  /** Closes the connection at once; a running statement fails. Idempotent. */
  destroy(): void
  /** Closes the connection whose statement takes too long, and ends that at the server. */
  abandon(): void
  /** Whether it is closed, by either side. */
  readonly isClosed: boolean
  /** Called once when it is closed. */
  onClose(listener: () => void): void
}

/** Access to a database. */
export interface SqlAccess {
  readonly host: string
  readonly port: number
  readonly database: string | null
  readonly username: string
  readonly password: string | null
  readonly tls: import('node:tls').ConnectionOptions | null
  /** Milliseconds for connecting and authentication. */
  readonly connectTimeout: number
  /** Milliseconds for the result of a statement. */
  readonly queryTimeout: number
}

/** Bytes that the database may send for one statement: the client libraries buffer whole rows. */
export const MAX_RESULT_BYTES = 1024 * 1024

/** Column values by name. Of columns with the same name the last counts. */
export function rowOf(names: readonly string[], values: readonly unknown[]): SqlRow {
  const row: Record<string, SqlValue> = Object.create(null)
  for (const [at, name] of names.entries()) row[name] = columnValue(values[at])
  return row
}

function columnValue(value: unknown): SqlValue {
  if (value === null || value === undefined) return null
  if (typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (Buffer.isBuffer(value)) return value.toString('base64')
  return String(value)
}
