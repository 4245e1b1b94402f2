import mysql from 'mysql2'
import { acceptAnyIdentity, SqlError, type SqlRow, type SqlValue } from '#contracts'
import { databaseError, ReceivedBytes } from './database-error.ts'
import type { BoundStatement } from './placeholders.ts'
import { MAX_RESULT_BYTES, rowOf, type SqlAccess, type SqlConnection } from './sql-connection.ts'

/** Milliseconds after `queryTimeout` at which the server itself ends a statement. */
const SERVER_MARGIN = 1_000

/** Parts of the library's connection that its types do not name. */
interface Wire {
  packetParser: { execute(data: Buffer): void }
}

/** Connects to MySQL or MariaDB. Throws SqlError. */
export async function connectMysql(access: SqlAccess): Promise<SqlConnection> {
  const { tls } = access
  const client = mysql.createConnection({
    host: access.host,
    port: access.port,
    user: access.username,
    ...(access.password !== null && { password: access.password }),
    ...(access.database !== null && { database: access.database }),
    ...(tls !== null && {
      ssl: {
        ...(tls as mysql.SslOptions),
        rejectUnauthorized: tls.rejectUnauthorized !== false,
        // The library has only the check of Node.
        verifyIdentity: tls.checkServerIdentity !== acceptAnyIdentity,
      },
    }),
    connectTimeout: access.connectTimeout,
    enableKeepAlive: true,
    // Row parsers of the library are generated code otherwise.
    disableEval: true,
    rowsAsArray: true,
    dateStrings: true,
    supportBigNumbers: true,
    jsonStrings: true,
    // The server can not ask for files of the gateway.
    flags: ['-LOCAL_FILES'],
  })
  const connection = new MysqlConnection(client)
  await connection.open(access)
  return connection
}

class MysqlConnection implements SqlConnection {
  readonly #client: mysql.Connection
  readonly #received = new ReceivedBytes(MAX_RESULT_BYTES)
  readonly #closeListeners: (() => void)[] = []
  #fault: Error | null = null
  /** Fails the running statement. */
  #onFault: ((error: Error) => void) | null = null
  isClosed = false

  constructor(client: mysql.Connection) {
    this.#client = client
    this.#guard()
    // Without a listener, an error of an idle connection would end the process.
    client.on('error', () => this.destroy())
    client.on('end', () => this.destroy())
    // A packet out of order: the library would write to the console and go on. The guard closes the connection.
    client.on('warn', (error: Error) => {
      throw error
    })
  }

  /**
   * Waits for the handshake, and limits results to one row, as far as statements have no limit of their own, and the time of
   * statements: the server would not end that of a connection that is closed.
   */
  async open({ connectTimeout, queryTimeout }: SqlAccess): Promise<void> {
    const { promise: fault, reject } = Promise.withResolvers<never>()
    // The library stops its own timer at the first byte of the server.
    const timer = setTimeout(() => reject(new Error('connecting timed out')), connectTimeout)
    this.#onFault = reject
    try {
      await Promise.race([this.#setLimits(queryTimeout + SERVER_MARGIN), fault])
    } catch (error) {
      this.destroy()
      throw new SqlError('unavailable', this.#errorOf(error as Error).message)
    } finally {
      this.#onFault = null
      clearTimeout(timer)
    }
  }

  onClose(listener: () => void): void {
    this.#closeListeners.push(listener)
  }

  destroy(): void {
    if (this.isClosed) return
    this.isClosed = true
    this.#client.destroy()
    for (const listener of this.#closeListeners) listener()
  }

  abandon(): void {
    this.destroy()
  }

  async firstRow({ text }: BoundStatement, values: readonly SqlValue[]): Promise<SqlRow | null> {
    this.#received.reset()
    const { promise, resolve, reject } = Promise.withResolvers<SqlRow | null>()
    this.#onFault = reject
    this.#client.execute(text, values.map(parameterValue), (error, rows, fields) => {
      if (error) reject(error)
      else resolve(firstOf(rows, fields))
    })
    try {
      return await promise
    } catch (error) {
      const failure = this.#errorOf(error as Error)
      if (failure.reason !== 'failed' || this.#fault !== null) this.destroy()
      throw failure
    } finally {
      this.#onFault = null
    }
  }

  async #setLimits(milliseconds: number): Promise<void> {
    await this.#set('sql_select_limit = 1')
    // The variable of MariaDB, else that of MySQL; older servers have none.
    await this.#set(`max_statement_time = ${milliseconds / 1_000}`)
      .catch(() => this.#set(`max_execution_time = ${milliseconds}`))
      .catch(() => {})
  }

  #set(assignment: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#client.query(`SET SESSION ${assignment}`, (error) => (error ? reject(error) : resolve()))
    return promise
  }

  /** Bytes over the limit, and faults that a malformed packet causes in the parser, close the connection. */
  #guard(): void {
    const wire = this.#client as unknown as Wire
    const { packetParser } = wire
    // The parser replaces its own method between packets.
    const execute = (data: Buffer): void => {
      if (this.isClosed) return
      try {
        this.#received.add(data.length)
        packetParser.execute(data)
      } catch (error) {
        this.#fault = error as Error
        this.#onFault?.(this.#fault)
        this.destroy()
      }
    }
    wire.packetParser = { execute }
  }

  #errorOf(error: Error): SqlError {
    if (this.#fault instanceof SqlError) return this.#fault
    if (this.#fault !== null) return new SqlError('unavailable', 'the server sent a malformed message')
    const { sqlState } = error as mysql.QueryError
    return databaseError(error, sqlState ?? null)
  }
}

function firstOf(rows: unknown, fields: unknown): SqlRow | null {
  if (!Array.isArray(rows) || !Array.isArray(fields)) return null
  // A procedure has several results; the last one has no columns.
  if (Array.isArray(fields[0])) return firstOf(rows[0], fields[0])
  const [row] = rows as readonly (readonly unknown[])[]
  if (row === undefined) return null
  return rowOf(
    (fields as readonly { readonly name: string }[]).map(({ name }) => name),
    row,
  )
}

function parameterValue(value: SqlValue): string | number | null {
  if (typeof value === 'boolean') return Number(value)
  return value
}
