import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ClientTlsKind, SqlAttributesContext } from '#contracts'
import { type Exchange, type Filter, respond } from '#http'
import type { JsonObject, JsonValue } from '#json'
import { defineType } from '#schema'
import { build } from '#test/build'
import { Authority, clientTlsOf, type Issued } from '#test/certificates'
import { secretsType } from '#test/changing-secrets'
import { auditedExchange } from '#test/exchange'
import { mariadbMissing, postgresqlMissing, SqlServer } from '#test/sql-servers'
import { waitUntil } from '#test/waiting'
import { JdbcDataSource } from '../../services/jdbc-data-source/jdbc-data-source.ts'
import { SqlAttributesFilter } from './sql-attributes-filter.ts'

const TABLE = `CREATE TABLE people (name varchar(99), age int, big bigint, isadmin boolean, born date, score numeric(10,2), notes varchar(99), empty int);
INSERT INTO people VALUES ('ann', 30, 9007199254740993, true, '1990-02-01', 12.50, 'a', null), ('bob', 40, 5, false, '1980-01-01', 1, 'b', null)`

interface Product {
  readonly name: string
  readonly scheme: string
  readonly missing: string | false
  /** An endless result, and a statement that takes longer than any test. */
  readonly endless: string
  readonly slow: string
  /** Counts the latter where they run. */
  readonly running: string
  readonly true: JsonValue
  start(identity: Issued): Promise<SqlServer>
}

const PRODUCTS: readonly Product[] = [
  {
    name: 'PostgreSQL',
    scheme: 'postgresql',
    missing: postgresqlMissing,
    endless: "SELECT repeat('x', 1000) FROM generate_series(1, 10000) a, generate_series(1, 10000) b",
    slow: 'SELECT pg_sleep(600)',
    running:
      "SELECT count(*)::int AS running FROM pg_stat_activity WHERE query LIKE '%pg_sleep(%' AND pid <> pg_backend_pid()",
    true: true,
    start: (identity) => SqlServer.postgresql(TABLE.replaceAll('\n', '\n\n'), identity),
  },
  {
    name: 'MariaDB',
    scheme: 'mariadb',
    missing: mariadbMissing,
    endless: "SELECT repeat('x', 10000) FROM numbers a, numbers b, numbers c LIMIT 1000000",
    // SLEEP would end with its connection.
    slow: "SELECT BENCHMARK(1000000000000, SHA2('a', 512))",
    running:
      "SELECT count(*) AS running FROM information_schema.processlist WHERE info LIKE '%BENCHMARK(%' AND id <> connection_id()",
    true: 1,
    start: (identity) =>
      SqlServer.mariadb(
        `${TABLE};\nCREATE TABLE numbers (seq int);\nINSERT INTO numbers VALUES ${Array.from({ length: 100 }, (_, at) => `(${at})`).join()}`,
        identity,
      ),
  },
]

let authority: Authority
const servers = new Map<string, SqlServer>()
before(async () => {
  authority = new Authority()
  const identity = authority.issue({ name: 'localhost' })
  const installed = PRODUCTS.filter(({ missing }) => missing === false)
  await Promise.all(installed.map(async ({ name, start }) => servers.set(name, await start(identity))))
})
after(async () => {
  for (const server of servers.values()) await server[Symbol.asyncDispose]()
  authority[Symbol.dispose]()
})

/** TLS options that trust the authority of this test. */
const TestTls = defineType({
  name: 'TestTls',
  kind: ClientTlsKind,
  summary: 'TLS options of a test.',
  config: {},
  create: () => clientTlsOf(authority, { alpn: false }),
})

const secrets = { 'database.password': 'right' as string }

function built(port: number, scheme: string, config: JsonObject, dataSource: JsonObject = {}) {
  const source = {
    jdbcUrl: `jdbc:${scheme}://127.0.0.1:${port}/users`,
    username: 'gateway',
    passwordSecretId: 'database.password',
    secretsProvider: { type: 'TestSecrets' },
    ...dataSource,
  }
  return build<Filter>(
    SqlAttributesFilter,
    { dataSource: { type: 'JdbcDataSource', config: source }, ...config },
    { types: [JdbcDataSource, TestTls, secretsType(secrets)] },
  )
}

/** Status and the row that the next filter sees. */
async function outcome(
  filter: Filter,
  url = 'http://app.example/?name=ann',
): Promise<{ status: number; row: unknown; exchange: Exchange }> {
  const exchange = auditedExchange('GET', url)
  let row: unknown = null
  const response = await filter(exchange, async (next) => {
    row = { ...next.context(SqlAttributesContext)?.row }
    return respond(200)
  })
  return { status: response.status, row, exchange }
}

const ALL = 'SELECT * FROM people WHERE name = ?'
/** Fails for the value `bad`, by a subquery with two rows. */
const UNLESS_BAD = "SELECT name FROM people WHERE name = 'ann' AND (SELECT 1 FROM people WHERE ? = 'bad') IS NULL"
const parameters = ['${request.queryParams.name[0]}']

for (const product of PRODUCTS) {
  describe(product.name, { skip: product.missing }, () => {
    let server: SqlServer
    const at = (config: JsonObject, dataSource?: JsonObject) => built(server.port, product.scheme, config, dataSource)
    before(() => {
      server = servers.get(product.name) as SqlServer
    })

    test('the first row is in the contexts and in the target, as values that are exact', async () => {
      await using filter = await at({ preparedStatement: ALL, parameters, target: '${attributes.sql}' })
      const { status, row, exchange } = await outcome(filter.object)
      assert.equal(status, 200)
      assert.deepEqual(row, {
        ...{ name: 'ann', age: 30, big: '9007199254740993', isadmin: product.true, born: '1990-02-01' },
        ...{ score: '12.50', notes: 'a', empty: null },
      })
      assert.deepEqual(exchange.attributes['sql'], row)
      assert.match(filter.warnings.join(), /target is deprecated; use contexts\.sqlAttributes\.row/)
    })

    test('values are bound and never part of the statement', async () => {
      await using filter = await at({ preparedStatement: ALL, parameters })
      const hostile = ["' OR '1'='1", "ann'; DROP TABLE people; --", 'ann\\', '$1', '?', 'é€😀']
      for (const name of hostile) {
        const { status, row } = await outcome(filter.object, `http://app.example/?name=${encodeURIComponent(name)}`)
        assert.deepEqual([status, row], [200, {}], name)
      }
      assert.equal((await outcome(filter.object)).status, 200)
    })

    test('without a row, or with null as a value, the row is empty', async () => {
      await using filter = await at({ preparedStatement: ALL, parameters })
      assert.deepEqual((await outcome(filter.object, 'http://app.example/?name=unknown')).row, {})
      assert.deepEqual((await outcome(filter.object, 'http://app.example/')).row, {})
    })

    test('of a long result one row is fetched, and the connection is used again', async () => {
      await using all = await at({ preparedStatement: 'SELECT name FROM people ORDER BY name DESC' })
      assert.deepEqual((await outcome(all.object)).row, { name: 'bob' })
      assert.deepEqual((await outcome(all.object)).row, { name: 'bob' })
      assert.equal(all.metrics.readings.get('gw_sql_connections')?.read(), 1)
    })

    test('an endless result does not grow without bound', async () => {
      await using filter = await at({ preparedStatement: product.endless })
      const { status } = await outcome(filter.object)
      assert.equal(status, product.scheme === 'postgresql' ? 200 : 500)
      await using large = await at({ preparedStatement: "SELECT repeat('x', 2000000) AS x" })
      assert.equal((await outcome(large.object)).status, 500)
      assert.match(large.log.lines.join(), /the result exceeds 1048576 bytes/)
    })

    test('a rejected statement is 500, with the message of the database in the log and none of the values', async () => {
      await using wrong = await at({ preparedStatement: 'SELECT * FROM missing WHERE name = ?', parameters })
      assert.equal((await outcome(wrong.object, 'http://app.example/?name=geheim')).status, 500)
      assert.match(wrong.log.lines.join(), /missing/)
      assert.doesNotMatch(wrong.log.lines.join(), /geheim/)
      await using again = await at({
        preparedStatement: 'SELECT CAST(? AS DECIMAL(2)) / 0 AS x, name FROM people',
        parameters,
      })
      await outcome(again.object, 'http://app.example/?name=geheim')
      assert.doesNotMatch(again.log.lines.join(), /geheim/)
    })

    test('after a statement that the database rejects, its connection serves the next request', async () => {
      await using filter = await at({ preparedStatement: UNLESS_BAD, parameters }, { maximumPoolSize: 1 })
      for (let round = 0; round < 3; round++) {
        assert.equal((await outcome(filter.object, 'http://app.example/?name=bad')).status, 500)
        assert.deepEqual(await outcome(filter.object).then(({ status, row }) => [status, row]), [200, { name: 'ann' }])
      }
      assert.equal(filter.metrics.readings.get('gw_sql_connections')?.read(), 1)
    })

    test('a slow statement is 503 after queryTimeout, and others are served meanwhile', async () => {
      await using slow = await at({ preparedStatement: product.slow }, { queryTimeout: '100 ms' })
      assert.equal((await outcome(slow.object)).status, 503)
      assert.match(slow.log.lines.join(), /no result within 100 ms/)
    })

    test('a statement that takes too long ends at the server too, also with TLS', async () => {
      const jdbcUrl = `jdbc:${product.scheme}://localhost:${server.port}/users`
      await using observer = await at({ preparedStatement: product.running })
      for (const source of [{}, { jdbcUrl, tls: { type: 'TestTls' } }]) {
        await using slow = await at({ preparedStatement: product.slow }, { queryTimeout: '100 ms', ...source })
        assert.equal((await outcome(slow.object)).status, 503)
        await waitUntil('the statement ended', async () => {
          const { row } = await outcome(observer.object)
          return (row as JsonObject)['running'] === 0
        })
      }
    })

    test('more requests than connections wait for one', async () => {
      await using filter = await at({ preparedStatement: ALL, parameters }, { maximumPoolSize: 2 })
      const outcomes = await Promise.all(Array.from({ length: 40 }, () => outcome(filter.object)))
      assert.ok(outcomes.every(({ status, row }) => status === 200 && (row as JsonObject)['name'] === 'ann'))
      assert.ok((filter.metrics.readings.get('gw_sql_connections')?.read() ?? 0) <= 2)
    })

    test('a wrong password is 503 and not in the log; the changed secret is used without a reload', async () => {
      secrets['database.password'] = 'geheim'
      await using filter = await at({ preparedStatement: ALL, parameters })
      try {
        assert.equal((await outcome(filter.object)).status, 503)
      } finally {
        secrets['database.password'] = 'right'
      }
      assert.doesNotMatch(filter.log.lines.join(), /geheim/)
      assert.deepEqual(filter.states, ['degraded: the database is unavailable'])
    })

    test('with TLS the certificate must be trusted and name the server', async () => {
      const url = (host: string, query = '') => `jdbc:${product.scheme}://${host}:${server.port}/users${query}`
      const config = { preparedStatement: ALL, parameters }
      await using trusted = await at(config, { jdbcUrl: url('localhost'), tls: { type: 'TestTls' } })
      assert.equal((await outcome(trusted.object)).status, 200)
      const other = async () => {
        await using filter = await at(config, { jdbcUrl: url('127.0.0.1'), tls: { type: 'TestTls' } })
        return (await outcome(filter.object)).status
      }
      // The client of MySQL has no check of IP addresses.
      if (product.scheme === 'mariadb') await assert.rejects(other(), /\/jdbcUrl: expected the name of the server/)
      else assert.equal(await other(), 503)
      await using unknown = await at(config, { jdbcUrl: url('localhost', '?sslMode=REQUIRED') })
      assert.equal((await outcome(unknown.object)).status, 503)
      assert.match(unknown.log.lines.join(), /certificate/)
    })

    test('a stopped database is 503 until it runs again', async () => {
      await using filter = await at({ preparedStatement: ALL, parameters })
      assert.equal((await outcome(filter.object)).status, 200)
      await server.stop()
      assert.equal((await outcome(filter.object)).status, 503)
      await using loaded = await at({ preparedStatement: ALL, parameters })
      await server.restart()
      const deadline = performance.now() + 20_000
      let status = 0
      while (status !== 200 && performance.now() < deadline) status = (await outcome(filter.object)).status
      assert.equal(status, 200)
      assert.equal((await outcome(loaded.object)).status, 200)
      assert.deepEqual(filter.states, ['degraded: the database is unavailable', 'up: the database is available'])
    })
  })
}

const unreachable = (config: JsonObject, dataSource: JsonObject = {}) => built(1, 'postgresql', config, dataSource)

test('the number of parameters must be that of the placeholders', async () => {
  await assert.rejects(
    unreachable({ preparedStatement: ALL }),
    /\/parameters: expected 1 values, one for each \? of preparedStatement, got 0/,
  )
  await assert.rejects(
    unreachable({ preparedStatement: "SELECT '" }),
    /\/preparedStatement: expected a statement whose quotes/,
  )
})

test('a JNDI name of an old file is refused with its replacement', async () => {
  for (const dataSource of ['java:comp/env/jdbc/forgerock', 'jdbc/forgerock']) {
    await assert.rejects(
      build(SqlAttributesFilter, { dataSource, preparedStatement: 'SELECT 1' }),
      /expected a JdbcDataSource, got the JNDI name .* declare a JdbcDataSource/,
    )
  }
})

test('a list or map is no value of a parameter', async () => {
  await using filter = await unreachable({ preparedStatement: 'SELECT ?', parameters: ['${request.queryParams}'] })
  await assert.rejects(outcome(filter.object), /parameter 1 of the statement is no text, number or boolean/)
})

test('an unreachable database is 503, which the decision explains', async () => {
  await using filter = await unreachable({ preparedStatement: ALL, parameters })
  const { status, exchange } = await outcome(filter.object)
  const { result, reason } = exchange.audit?.decision ?? {}
  assert.deepEqual([status, result, reason], [503, 'FAILED', 'the database is unavailable'])
})
