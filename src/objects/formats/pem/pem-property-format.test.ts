import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SecretFormat } from '#contracts'
import type { JsonValue } from '#json'
import { build } from '#test/build'
import { testIdentity } from '#test/test-identity'
import { Base64EncodedSecretStore } from '../../stores/base64-encoded/base64-encoded-secret-store.ts'
import { PemPropertyFormat } from './pem-property-format.ts'

const { key, certificate } = testIdentity('pem')
const encrypted = key.export({ format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'hunter2' }) as string
const plain = key.export({ format: 'pem', type: 'pkcs8' }) as string

const passwords: JsonValue = {
  type: 'Base64EncodedSecretStore',
  config: { secrets: { right: btoa('hunter2'), wrong: btoa('hunter3') } },
}
const format = (config: JsonValue) =>
  build<SecretFormat>(PemPropertyFormat, config, { types: [Base64EncodedSecretStore] })

test('a key with its certificate', async () => {
  await using built = await format({})
  const [secret] = await built.object.decode(Buffer.from(`${plain}${certificate}`), assert.fail)
  assert.equal(secret?.key?.type, 'private')
  assert.equal(secret?.certificates?.[0]?.subject, 'CN=pem')
})

test('an encrypted key is opened with the password of decryptionSecretId', async () => {
  await using built = await format({ decryptionSecretId: 'right', secretsProvider: passwords })
  const [secret] = await built.object.decode(Buffer.from(encrypted), assert.fail)
  assert.ok(secret?.key?.equals(key))
})

test('a password that is missing, unknown or wrong is reported by its id only', async () => {
  const failure = async (config: JsonValue) => {
    await using built = await format(config)
    const error = await built.object.decode(Buffer.from(encrypted), assert.fail).then(
      () => assert.fail('it was decoded'),
      (thrown: Error) => thrown,
    )
    assert.doesNotMatch(`${error.stack}`, /hunter/)
    return error.message
  }
  assert.match(await failure({}), /name its password with decryptionSecretId/)
  const provider = { secretsProvider: passwords }
  assert.equal(await failure({ decryptionSecretId: 'none', ...provider }), 'no secret store knows the secret id "none"')
  assert.match(await failure({ decryptionSecretId: 'wrong', ...provider }), /the password is wrong/)
  assert.equal(await failure({ decryptionSecretId: 'right' }), 'no secret store knows the secret id "right"')
})

test('refuses an invalid id', async () => {
  await assert.rejects(format({ decryptionSecretId: '../x' }), {
    message:
      '/heap/0/config/decryptionSecretId: expected a secret id: letters, digits, "-" and "_" in words joined by dots, got "../x"',
  })
})
