import { isIPv6 } from 'node:net'

/** Protocol of a database server. MariaDB has that of MySQL. */
export type SqlDialect = 'postgresql' | 'mysql'

/** A database as a JDBC URL or the properties of a Java data source name it. */
export interface JdbcAddress {
  readonly dialect: SqlDialect
  readonly host: string
  readonly port: number
  readonly database: string | null
  readonly username: string | null
  /** Null where the URL does not say. */
  readonly isSecure: boolean | null
  /** Parameters without effect here. */
  readonly unused: readonly string[]
}

const DEFAULT_PORTS = { postgresql: 5432, mysql: 3306 } as const

const FORM = /^jdbc:(postgresql|mysql|mariadb):(?:\/\/([^/?#]*)(?:\/|(?=\?)|$))?([^/?#]*)(?:\?(.*))?$/s

const EXPECTED =
  'expected a JDBC URL of PostgreSQL, MySQL or MariaDB, such as "jdbc:postgresql://db.example.com:5432/users"'

/** Reads a JDBC URL. Throws a TypeError that shows no password. */
function parseJdbcUrl(url: string): JdbcAddress {
  const match = FORM.exec(url)
  if (match === null) throw new TypeError(`${EXPECTED}; ${refusal(url)}`)
  const [, product = '', authority = '', database = '', query = ''] = match
  const dialect = product === 'postgresql' ? 'postgresql' : 'mysql'
  const parameters = new Map(new URLSearchParams(query))
  if (parameters.has('password')) {
    throw new TypeError('expected a URL without a password: use passwordSecretId, which keeps it out of the file')
  }
  return addressOf(dialect, { ...hostOf(authority), database: decodeURIComponent(database) }, parameters)
}

/** The dialect of the package of a driver or data source. Throws a TypeError for other databases. */
function dialectOfClass(className: string): SqlDialect {
  if (className.startsWith('org.postgresql.')) return 'postgresql'
  if (/^(?:com\.mysql\.|org\.mariadb\.)/.test(className)) return 'mysql'
  throw new TypeError(`expected a class of PostgreSQL, MySQL or MariaDB, got "${className}": ${ONLY_THESE}`)
}

/**
 * The database of a JDBC URL, or else of the class of a Java data source, and of its properties: `url`, or `serverName`, `portNumber`
 * and `databaseName`. Throws a TypeError.
 */
export function jdbcAddress(
  url: string | null,
  className: string | null,
  properties: Readonly<Record<string, string>>,
): JdbcAddress {
  const parameters = new Map(Object.entries(properties))
  const taken = (...names: readonly string[]): string | null => {
    const values = names.map((name) => parameters.get(name))
    for (const name of names) parameters.delete(name)
    return values.find((value) => value !== undefined) ?? null
  }
  const server = taken('serverName', 'servername')
  const port = taken('portNumber', 'port')
  const database = taken('databaseName', 'databasename')
  const named = taken('url', 'URL')
  const address = url ?? named
  const dialect = className === null ? null : dialectOfClass(className)
  if (address === null) {
    if (dialect === null) throw new TypeError('expected jdbcUrl, or dataSourceClassName with properties')
    const authority = port === null ? (server ?? '') : `${server ?? 'localhost'}:${port}`
    return addressOf(dialect, { ...hostOf(authority), database: database ?? '' }, parameters)
  }
  const parsed = parseJdbcUrl(address)
  if (dialect !== null && parsed.dialect !== dialect) {
    throw new TypeError(`expected a URL of the database of "${className}", got "${address}"`)
  }
  const added = addressOf(parsed.dialect, { ...parsed, database: '' }, parameters)
  return {
    ...parsed,
    username: added.username ?? parsed.username,
    isSecure: added.isSecure ?? parsed.isSecure,
    unused: [...parsed.unused, ...added.unused],
  }
}

const ONLY_THESE = 'databases of other products are not supported, since their clients are Java libraries'

function refusal(url: string): string {
  const product = /^jdbc:([a-z0-9]+)/i.exec(url)?.[1]
  if (product === undefined) return 'this is no JDBC URL'
  if (/^(?:postgresql|mysql|mariadb)$/.test(product)) return 'the form of this one is not supported'
  return `got one of "${product}": ${ONLY_THESE}`
}

function hostOf(authority: string): { host: string; port: number | null } {
  if (authority.includes(',')) {
    throw new TypeError('expected one server: name a proxy or a DNS name in front of several')
  }
  if (authority.includes('@'))
    throw new TypeError('expected a server without a user: use username and passwordSecretId')
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]()]*))(?::(\d{1,5}))?$/.exec(authority)
  const port = match?.[3] === undefined ? null : Number(match[3])
  if (
    match === null ||
    (match[1] !== undefined && !isIPv6(match[1])) ||
    (port !== null && (port < 1 || port > 65_535))
  ) {
    throw new TypeError(`expected a server such as db.example.com:5432, got "${authority}"`)
  }
  return { host: match[1] ?? (match[2] || 'localhost'), port }
}

function addressOf(
  dialect: SqlDialect,
  place: { readonly host: string; readonly port: number | null; readonly database: string },
  parameters: ReadonlyMap<string, string>,
): JdbcAddress {
  let isSecure: boolean | null = null
  let username: string | null = null
  const unused: string[] = []
  for (const [name, value] of parameters) {
    const secure = securityOf(name, value)
    if (name === 'user') username = value
    else if (secure === undefined) unused.push(name)
    else isSecure = secure || isSecure === true
  }
  return {
    dialect,
    host: place.host,
    port: place.port ?? DEFAULT_PORTS[dialect],
    database: place.database === '' ? null : place.database,
    username,
    isSecure,
    unused,
  }
}

/** Whether a parameter demands TLS; undefined for other parameters. Modes that fall back to clear text do not demand it. */
function securityOf(name: string, value: string): boolean | undefined {
  switch (name.toLowerCase()) {
    case 'ssl':
    case 'usessl':
    case 'requiressl':
      return value === '' || /^true$/i.test(value)
    case 'sslmode':
      return !/^(?:disable|disabled|allow|prefer|preferred)$/i.test(value)
    default:
      return undefined
  }
}
