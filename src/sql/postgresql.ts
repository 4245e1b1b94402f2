import type { Duplex } from 'node:stream'
import pg, { type ClientConfig } from 'pg'
import { SqlError, type SqlRow, type SqlValue } from '#contracts'
import { databaseError, ReceivedBytes } from './database-error.ts'
import type { BoundStatement } from './placeholders.ts'
import { type BackendKey, cancelStatement } from './postgresql-cancel.ts'
import { MAX_RESULT_BYTES, rowOf, type SqlAccess, type SqlConnection } from './sql-connection.ts'

/** Connection of the library, as far as it is used here. */
interface Wire extends NodeJS.EventEmitter {
  readonly stream: Duplex
  sync(): void
}

/** Types that JavaScript represents exactly (OIDs): boolean, int2, int4, float4, float8. Other columns are text. */
const BOOLEAN = 16
const NUMBERS = new Set([21, 23, 700, 701])
const INT8 = 20
const BYTEA = 17

/** Connects to PostgreSQL. Throws SqlError. */
export async function connectPostgresql(access: SqlAccess): Promise<SqlConnection> {
  // The library would read PGPASSWORD and ~/.pgpass in place of a missing password.
  const password = access.password ?? ''
  const config: ClientConfig = {
    host: access.host,
    port: access.port,
    user: access.username,
    database: access.database ?? access.username,
    password: () => password,
    ssl: access.tls ?? false,
    application_name: 'identity-gateway',
    keepAlive: true,
    connectionTimeoutMillis: access.connectTimeout,
    types: { getTypeParser: columnParser as unknown as typeof pg.types.getTypeParser },
  }
  const connection = new PostgresqlConnection(new pg.Client(config), access)
  await connection.open()
  return connection
}

class PostgresqlConnection implements SqlConnection {
  readonly #client: pg.Client
  readonly #access: SqlAccess
  readonly #wire: Wire
  readonly #received = new ReceivedBytes(MAX_RESULT_BYTES)
  readonly #closeListeners: (() => void)[] = []
  #fault: Error | null = null
  isClosed = false

  constructor(client: pg.Client, access: SqlAccess) {
    this.#client = client
    this.#access = access
    this.#wire = (client as unknown as { connection: Wire }).connection
  }

  async open(): Promise<void> {
    this.#guard(this.#wire.stream)
    this.#wire.once('sslconnect', () => this.#guard(this.#wire.stream))
    // Without a listener, an error of an idle connection would end the process.
    this.#client.on('error', () => this.destroy())
    this.#client.on('end', () => this.#onEnd())
    try {
      await this.#client.connect()
    } catch (error) {
      this.destroy()
      throw new SqlError('unavailable', this.#errorOf(error as Error).message)
    }
  }

  onClose(listener: () => void): void {
    this.#closeListeners.push(listener)
  }

  destroy(): void {
    this.#wire.stream.destroy()
    this.#onEnd()
  }

  abandon(): void {
    const { processID, secretKey } = this.#client as unknown as { readonly [Name in keyof BackendKey]: number | null }
    if (processID !== null && secretKey !== null) cancelStatement(this.#access, { processID, secretKey })
    this.destroy()
  }

  async firstRow({ text }: BoundStatement, values: readonly SqlValue[]): Promise<SqlRow | null> {
    this.#received.reset()
    const { promise, resolve, reject } = Promise.withResolvers<pg.QueryArrayResult>()
    const callback = (error: Error | null | undefined, result: pg.QueryArrayResult): void => {
      if (error) reject(error)
      else resolve(result)
    }
    const query = new FirstRowQuery({ text, values: values.map(parameterText), rowMode: 'array', rows: 1, callback })
    this.#client.query(query as unknown as pg.Submittable)
    try {
      const { rows, fields } = await promise
      const [row] = rows
      return row === undefined
        ? null
        : rowOf(
            fields.map(({ name }) => name),
            row,
          )
    } catch (error) {
      const failure = this.#errorOf(error as Error)
      if (failure.reason !== 'failed' || this.#fault !== null) this.destroy()
      throw failure
    }
  }

  /** Bytes over the limit, and faults that a malformed message causes in the parser, close the connection. */
  #guard(stream: Duplex): void {
    const emit = stream.emit.bind(stream) as (...event: unknown[]) => boolean
    const guarded = (...event: unknown[]): boolean => {
      if (event[0] !== 'data') return emit(...event)
      try {
        this.#received.add((event[1] as Buffer).length)
        return emit(...event)
      } catch (error) {
        this.#fault = error as Error
        stream.destroy()
        return true
      }
    }
    stream.emit = guarded as typeof stream.emit
  }

  #errorOf(error: Error): SqlError {
    if (this.#fault instanceof SqlError) return this.#fault
    if (this.#fault !== null) return new SqlError('unavailable', 'the server sent a malformed message')
    return databaseError(error, error instanceof pg.DatabaseError ? (error.code ?? 'XX000') : null)
  }

  #onEnd(): void {
    if (this.isClosed) return
    this.isClosed = true
    for (const listener of this.#closeListeners) listener()
  }
}

/** Query of the library, as far as it is used here. */
interface ExtendedQuery {
  handleError(error: Error, connection: Wire): void
}

/** Fetches one row, whatever the result has: the library would fetch the following ones, too. */
class FirstRowQuery extends (pg.Query as unknown as new (config: unknown) => ExtendedQuery) {
  handlePortalSuspended(connection: Wire): void {
    connection.sync()
  }

  /** With a limit of rows the library sends no sync of its own: after an error the server would skip all later statements. */
  override handleError(error: Error, connection: Wire): void {
    if (connection.stream.writable) connection.sync()
    super.handleError(error, connection)
  }
}

function parameterText(value: SqlValue): string | null {
  return value === null ? null : String(value)
}

function columnParser(type: number): (text: string) => SqlValue {
  if (type === BOOLEAN) return (text) => text === 't'
  if (NUMBERS.has(type)) return Number
  if (type === INT8) return (text) => (Number.isSafeInteger(Number(text)) ? Number(text) : text)
  if (type === BYTEA) return (text) => Buffer.from(text.slice(2), 'hex').toString('base64')
  return (text) => text
}
