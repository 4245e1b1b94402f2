import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jdbcAddress } from './jdbc-url.ts'

const parsed = (url: string) => jdbcAddress(url, null, {})

test('JDBC URLs of PostgreSQL, MySQL and MariaDB name server, port and database', () => {
  const shown = (url: string) => {
    const { dialect, host, port, database } = parsed(url)
    return [dialect, host, port, database]
  }
  assert.deepEqual(shown('jdbc:postgresql://db.example.com:6432/users'), [
    'postgresql',
    'db.example.com',
    6432,
    'users',
  ])
  assert.deepEqual(shown('jdbc:postgresql://db.example.com/users?ssl=true'), [
    'postgresql',
    'db.example.com',
    5432,
    'users',
  ])
  assert.deepEqual(shown('jdbc:postgresql:users'), ['postgresql', 'localhost', 5432, 'users'])
  assert.deepEqual(shown('jdbc:postgresql:///a%20b'), ['postgresql', 'localhost', 5432, 'a b'])
  assert.deepEqual(shown('jdbc:postgresql://[::1]:5433/'), ['postgresql', '::1', 5433, null])
  assert.deepEqual(shown('jdbc:mysql://db/users'), ['mysql', 'db', 3306, 'users'])
  assert.deepEqual(shown('jdbc:mariadb://db:3307'), ['mysql', 'db', 3307, null])
})

test('parameters set the user and TLS; others are named', () => {
  const address = parsed('jdbc:postgresql://db/users?user=web&sslmode=verify-full&tcpKeepAlive=true')
  assert.equal(address.username, 'web')
  assert.equal(address.isSecure, true)
  assert.deepEqual(address.unused, ['tcpKeepAlive'])
  assert.equal(parsed('jdbc:mysql://db/users?useSSL=false').isSecure, false)
  assert.equal(parsed('jdbc:mysql://db/users?sslMode=REQUIRED').isSecure, true)
  assert.equal(parsed('jdbc:mariadb://db/users?sslMode=trust').isSecure, true)
  assert.equal(parsed('jdbc:postgresql://db/users?sslmode=prefer').isSecure, false)
  assert.equal(parsed('jdbc:postgresql://db/users').isSecure, null)
})

test('properties of a Java data source name the database', () => {
  const properties = { serverName: 'db', portNumber: '5433', databaseName: 'users', user: 'web', ssl: 'true' }
  const address = jdbcAddress(null, 'org.postgresql.ds.PGSimpleDataSource', properties)
  assert.deepEqual(address, {
    ...{
      dialect: 'postgresql',
      host: 'db',
      port: 5433,
      database: 'users',
      username: 'web',
      isSecure: true,
      unused: [],
    },
  })
  const byUrl = jdbcAddress(null, 'com.mysql.cj.jdbc.MysqlDataSource', { url: 'jdbc:mysql://db/users', user: 'web' })
  assert.deepEqual([byUrl.dialect, byUrl.host, byUrl.database, byUrl.username], ['mysql', 'db', 'users', 'web'])
})

for (const [url, message] of [
  ['jdbc:h2:tcp://localhost/~/users', /got one of "h2": databases of other products are not supported/],
  ['jdbc:oracle:thin:@db:1521:x', /got one of "oracle"/],
  ['postgres://db/users', /this is no JDBC URL/],
  ['jdbc:mysql:loadbalance://a,b/users', /the form of this one is not supported/],
  ['jdbc:postgresql://a,b/users', /expected one server/],
  ['jdbc:postgresql://web:geheim@db/users', /use username and passwordSecretId/],
  ['jdbc:postgresql://db/users?user=a&password=geheim', /use passwordSecretId/],
  ['jdbc:postgresql://db:99999/users', /expected a server such as/],
] as const) {
  test(`${url.split(/[?@]/)[0]} is refused with a reason that shows no password`, () => {
    assert.throws(
      () => parsed(url),
      ({ message: text }: Error) => message.test(text) && !text.includes('geheim'),
    )
  })
}

test('classes of other products are refused', () => {
  assert.throws(() => jdbcAddress(null, 'org.h2.jdbcx.JdbcDataSource', {}), /got "org\.h2\.jdbcx\.JdbcDataSource"/)
  assert.throws(
    () => jdbcAddress(null, 'org.postgresql.ds.PGSimpleDataSource', { url: 'jdbc:mysql://db/users' }),
    /expected a URL of the database of "org\.postgresql/,
  )
})
