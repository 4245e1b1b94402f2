import {
  type ClientTls,
  type DataSource,
  type SecretsProvider,
  SqlError,
  type SqlStatement,
  tlsConnectionOptions,
} from '#contracts'
import type { Environment } from '#schema'
import { ConnectionPool } from './connection-pool.ts'
import type { JdbcAddress } from './jdbc-url.ts'
import { EVENTS } from './log-events.ts'
import { boundStatement } from './placeholders.ts'
import type { SqlAccess, SqlConnection } from './sql-connection.ts'

interface DataSourceSettings {
  readonly address: JdbcAddress
  readonly username: string
  readonly passwordSecretId: string | null
  readonly secretsProvider: SecretsProvider
  readonly tls: ClientTls | null
  readonly maxConnections: number
  readonly connectTimeout: number
  readonly queryTimeout: number
  /** Name in metrics. */
  readonly name: string
}

/** Opens a data source. Connections are opened by statements: loading does not depend on the database; a missing password is an error. */
export async function openDataSource(settings: DataSourceSettings, env: Environment): Promise<DataSource> {
  const { address, queryTimeout, name } = settings
  const access = accessBy(settings)
  await access()
  // The client library is imported by the first object that uses it: other gateways start faster without it.
  const connect = await connector(address)
  const failures = env.metrics.counter(
    'gw_sql_failures_total',
    'Statements without a result: no connection, no response in time, or an error of the database.',
    { name },
  )
  const pool = new ConnectionPool({
    maxConnections: settings.maxConnections,
    waitTimeout: settings.connectTimeout,
    clock: env.clock,
    open: async () => connect(await access()),
    onAttempt: availabilityReport(env),
  })
  env.onDispose(() => pool.close())
  env.metrics.reading('gw_sql_connections', 'Open connections to the database.', {
    labels: { name },
    read: () => pool.size,
  })
  const prepare = (text: string): SqlStatement => {
    const statement = boundStatement(text, address.dialect)
    return {
      parameterCount: statement.parameterCount,
      firstRow: async (values) => {
        try {
          return await pool.use((connection) =>
            withTimeout(connection, queryTimeout, connection.firstRow(statement, values)),
          )
        } catch (error) {
          failures.add()
          throw error
        }
      },
    }
  }
  return { prepare }
}

/** Fails the statement after a time, and closes its connection, whose state is unknown then. */
async function withTimeout<T>(connection: SqlConnection, timeout: number, result: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    reject(new SqlError('timeout', `no result within ${timeout} ms`))
    connection.abandon()
  }, timeout)
  try {
    return await Promise.race([result, promise])
  } finally {
    clearTimeout(timer)
    // Of a statement that timed out.
    result.catch(() => {})
  }
}

async function connector({ dialect }: JdbcAddress): Promise<(access: SqlAccess) => Promise<SqlConnection>> {
  if (dialect === 'postgresql') return (await import('./postgresql.ts')).connectPostgresql
  return (await import('./mysql.ts')).connectMysql
}

/** Reads password and certificates for each connection, so that changed ones take effect without a reload. */
function accessBy(settings: DataSourceSettings): () => Promise<SqlAccess> {
  const { address, username, passwordSecretId, tls, connectTimeout, queryTimeout } = settings
  const { host, port, database } = address
  const isSecure = tls !== null || address.isSecure === true
  return async () => {
    try {
      const secret =
        passwordSecretId === null
          ? null
          : await settings.secretsProvider.active({ secretId: passwordSecretId, purpose: 'GENERIC' })
      const options = isSecure ? await tlsConnectionOptions(tls) : null
      const password = secret?.revealText() ?? null
      return { host, port, database, username, password, tls: options, connectTimeout, queryTimeout }
    } catch (error) {
      throw new SqlError('unavailable', (error as Error).message)
    }
  }
}

/** Logs and reports the loss of the database once, and its recovery. */
function availabilityReport({ logger, reportState }: Environment): (problem: string | null) => void {
  let isLost = false
  return (problem) => {
    if (problem === null && isLost) {
      logger.info('database available again')
      reportState('up', 'the database is available')
    } else if (problem !== null && !isLost) {
      logger.warn({ problem }, EVENTS.UNAVAILABLE)
      reportState('degraded', 'the database is unavailable')
    }
    isLost = problem !== null
  }
}
