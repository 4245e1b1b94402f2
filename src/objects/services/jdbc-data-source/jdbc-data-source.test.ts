import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DataSource } from '#contracts'
import type { JsonObject } from '#json'
import { build } from '#test/build'
import { type ChangingSecrets, secretsType } from '#test/changing-secrets'
import { Base64EncodedSecretStore } from '../../stores/base64-encoded/base64-encoded-secret-store.ts'
import { SecretsProvider } from '../../stores/secrets-provider/secrets-provider.ts'
import { JdbcDataSource } from './jdbc-data-source.ts'

const secrets: ChangingSecrets = { 'database.password': 'right' }
const WITH_PASSWORD = { passwordSecretId: 'database.password', secretsProvider: { type: 'TestSecrets' } }

const built = (config: JsonObject) =>
  build<DataSource>(JdbcDataSource, config, {
    types: [secretsType(secrets), SecretsProvider, Base64EncodedSecretStore],
  })

test('a data source of an unreachable database loads, also with a class name, properties and an old password', async () => {
  for (const config of [
    { jdbcUrl: 'jdbc:postgresql://127.0.0.1:1/users', username: 'web', ...WITH_PASSWORD },
    {
      jdbcUrl: 'jdbc:mariadb://127.0.0.1:1/users?user=web',
      driverClassName: 'org.mariadb.jdbc.Driver',
      ...WITH_PASSWORD,
    },
    {
      dataSourceClassName: 'com.mysql.cj.jdbc.MysqlDataSource',
      properties: { serverName: '127.0.0.1', portNumber: '1', databaseName: 'users', user: 'web' },
    },
  ]) {
    await using source = await built(config)
    assert.equal(source.object.prepare('SELECT ?').parameterCount, 1)
    assert.deepEqual(source.warnings, [])
  }
})

test('a password in clear text works with a warning that does not show it', async () => {
  const address = { serverName: '127.0.0.1', user: 'web', password: 'geheim' }
  for (const config of [
    { jdbcUrl: 'jdbc:postgresql://127.0.0.1:1/users', username: 'web', password: 'geheim' },
    { dataSourceClassName: 'org.postgresql.ds.PGSimpleDataSource', properties: address },
  ]) {
    await using source = await built(config)
    assert.match(source.warnings.join(), /password is deprecated; it is a secret in clear text/)
    assert.doesNotMatch(source.warnings.join(), /geheim/)
  }
})

test('parameters without effect, and clear text to another host, give a warning', async () => {
  await using source = await built({ jdbcUrl: 'jdbc:mysql://db.example.com/users?useUnicode=true', username: 'web' })
  assert.match(source.warnings.join(), /parameters without effect: useUnicode/)
  assert.match(source.warnings.join(), /sent in clear text/)
})

for (const [what, config, message] of [
  ['neither URL nor class', { username: 'web' }, /jdbcUrl.*dataSourceClassName/],
  ['another product', { jdbcUrl: 'jdbc:h2:mem:users', username: 'sa' }, /\/jdbcUrl: .*got one of "h2"/],
  ['no user', { jdbcUrl: 'jdbc:mysql://127.0.0.1/users' }, /\/username: expected the user of the database/],
  [
    'a missing password',
    { jdbcUrl: 'jdbc:mysql://127.0.0.1/users', username: 'web', ...WITH_PASSWORD, passwordSecretId: 'absent' },
    /no secret store knows the secret id "absent"/,
  ],
] as const) {
  test(`${what} is refused at load`, async () => {
    await assert.rejects(built(config), message)
  })
}
