import { isIP } from 'node:net'
import { ClientTlsKind, DataSourceKind, Executor, secretsProvider } from '#contracts'
import { clearText, config, defineType, duration, exactlyOneOf, integer, map, ref, secretId, string } from '#schema'
import { type JdbcAddress, jdbcAddress, openDataSource, SQL_EVENTS } from '#sql'

const TIMEOUT = { zero: false, max: '5 minutes' }
const PASSWORD = 'database.password'

/** Connections to a PostgreSQL, MySQL or MariaDB database. */
export const JdbcDataSource = defineType({
  name: 'JdbcDataSource',
  kind: DataSourceKind,
  summary: 'Pools connections to a PostgreSQL, MySQL or MariaDB database.',
  metrics: ['gw_sql_connections', 'gw_sql_failures_total'],
  events: [SQL_EVENTS.UNAVAILABLE],
  config: {
    jdbcUrl: config(string({ nonEmpty: true }))
      .optional()
      .meta({
        description:
          'The database, such as `jdbc:postgresql://db.example.com:5432/users`, `jdbc:mysql://...` or `jdbc:mariadb://...`.',
      }),
    dataSourceClassName: config(string({ nonEmpty: true }))
      .optional()
      .meta({
        description:
          'Java class of a data source, in place of jdbcUrl: its package names the product, properties the database.',
      }),
    driverClassName: config(string({ nonEmpty: true }))
      .optional()
      .meta({ description: 'Java class of a driver. Without effect: the URL names the product.' }),
    username: config(string({ nonEmpty: true }))
      .optional()
      .meta({ description: 'User of the database; by default `user` of the URL or of properties.' }),
    passwordSecretId: config(secretId())
      .optional()
      .meta({ description: 'Secret ID of the password, a `GenericSecret`.' }),
    secretsProvider: secretsProvider('the password'),
    tls: ref(ClientTlsKind).optional().meta({
      description:
        'TLS options. TLS is also used where the URL demands it, such as by `sslmode=require`; the certificate must be valid in any case.',
    }),
    poolName: config(string({ nonEmpty: true }))
      .optional()
      .meta({ description: 'Name in metrics; by default that of the object.' }),
    properties: map(config(string())).default({}).meta({
      description:
        'Properties of the data source: `url`, or `serverName`, `portNumber` and `databaseName`; `user`, `ssl`, `sslmode`. Others have no effect.',
    }),
    maximumPoolSize: config(integer({ min: 1, max: 1000 }))
      .default(10)
      .meta({ description: 'Maximum number of connections of each unit.' }),
    connectionTimeout: config(duration(TIMEOUT))
      .default('5 seconds')
      .meta({ description: 'Time in which a connection must be open, or become free; then the request fails.' }),
    queryTimeout: config(duration(TIMEOUT)).default('5 seconds').meta({
      description: 'Time in which a statement must have its result; then it is ended, and its connection closed.',
    }),
    executor: ref(Executor).optional().meta({ description: 'Accepted without effect: connections need no threads.' }),
  },
  older: [
    clearText('password', 'passwordSecretId', PASSWORD),
    clearText('properties.password', 'passwordSecretId', PASSWORD),
  ],
  rules: [exactlyOneOf('jdbcUrl', 'dataSourceClassName')],
  check: (values, report, warn) => {
    const address = addressIn(values, report)
    if (address === null) return
    if ((values.username ?? address.username) === null) report('/username', 'expected the user of the database')
    if (values.tls !== undefined && address.isSecure === false) {
      report('/tls', 'expected none, since the URL turns TLS off')
    }
    const isSecure = values.tls !== undefined || address.isSecure === true
    if (address.unused.length > 0) warn(`parameters without effect: ${address.unused.join(', ')}`)
    if (!isSecure && !/^(?:localhost|127(?:\.\d+){3}|::1)$/.test(address.host)) {
      warn(
        'statements and results are sent in clear text; set tls, or demand TLS in the URL, such as by sslmode=require',
      )
    }
    // The client library would check the certificate of an IP address for the name localhost.
    const isChecked = values.tls?.hostnames !== 'ALLOW_ALL'
    if (address.dialect === 'mysql' && isSecure && isChecked && isIP(address.host) !== 0) {
      report('/jdbcUrl', 'expected the name of the server: certificates of MySQL and MariaDB are checked by name')
    }
  },
  create: (values, env) => {
    const address = addressIn(values, () => {}) as JdbcAddress
    return openDataSource(
      {
        address,
        username: values.username ?? (address.username as string),
        passwordSecretId: values.passwordSecretId ?? null,
        secretsProvider: values.secretsProvider,
        tls: values.tls ?? null,
        maxConnections: values.maximumPoolSize,
        connectTimeout: values.connectionTimeout,
        queryTimeout: values.queryTimeout,
        name: values.poolName ?? env.name,
      },
      env,
    )
  },
})

interface AddressFields {
  readonly jdbcUrl?: string | undefined
  readonly dataSourceClassName?: string | undefined
  readonly properties: Readonly<Record<string, string>>
}

/** The database of the configuration; null where it is invalid. */
function addressIn(
  { jdbcUrl, dataSourceClassName, properties }: AddressFields,
  report: (path: string, message: string) => void,
): JdbcAddress | null {
  try {
    return jdbcAddress(jdbcUrl ?? null, dataSourceClassName ?? null, properties)
  } catch (error) {
    report(jdbcUrl === undefined ? '/dataSourceClassName' : '/jdbcUrl', (error as Error).message)
    return null
  }
}
