import { kind } from '#schema'

/** A value of a parameter or column. Numbers that JavaScript can not represent, dates and binary data are text. */
export type SqlValue = string | number | boolean | null

/** Values of a row by column name. */
export type SqlRow = Readonly<Record<string, SqlValue>>

/** A statement with `?` in place of its parameters. */
export interface SqlStatement {
  readonly parameterCount: number
  /** The first row of the result, null without one. The values are sent beside the statement. Throws SqlError. */
  firstRow(values: readonly SqlValue[]): Promise<SqlRow | null>
}

/** Connections to a database. */
export interface DataSource {
  /** Throws a SyntaxError where a comment or quoted part of the statement has no end. */
  prepare(statement: string): SqlStatement
}

/** `unavailable`: no connection; `timeout`: no result in time; `failed`: the database rejected the statement. */
type SqlFailure = 'unavailable' | 'timeout' | 'failed'

/** A failed statement. The message contains no value and no password. */
export class SqlError extends Error {
  override readonly name = 'SqlError'
  readonly code = 'GW_SQL'
  readonly reason: SqlFailure

  constructor(reason: SqlFailure, message: string) {
    super(message)
    this.reason = reason
  }
}

/** Configured as JdbcDataSource. */
export const DataSourceKind = kind<DataSource>('JdbcDataSource')
