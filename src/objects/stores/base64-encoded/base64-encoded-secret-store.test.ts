import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { providerOf, type SecretStore } from '#contracts'
import type { JsonValue } from '#json'
import { build } from '#test/build'
import { Base64EncodedSecretStore } from './base64-encoded-secret-store.ts'

const store = (config: JsonValue, env: Record<string, string> = {}) =>
  build<SecretStore>(Base64EncodedSecretStore, config, { env })

test('passwords by their ids, own keys only', async () => {
  await using built = await store({ secrets: { 'my.id': btoa('hunter2'), __proto__: null } })
  const provider = providerOf([built.object])
  assert.equal((await provider.active({ secretId: 'my.id', purpose: 'GENERIC' })).revealText(), 'hunter2')
  for (const secretId of ['other', '__proto__', 'constructor', 'my.id ']) {
    assert.equal(await built.object.find({ secretId, purpose: 'GENERIC' }), null)
  }
  assert.doesNotMatch(inspect(built.object, { depth: 9, showHidden: true }), /hunter2/)
})

test('passwords can not be used as keys', async () => {
  await using built = await store({ secrets: { id: btoa('hunter2') } })
  await assert.rejects(providerOf([built.object]).active({ secretId: 'id', purpose: 'SIGN' }), {
    message:
      'the secret the secret id "id" in gateway+object can not serve SIGN: it is a password, not a key; a format such as SecretKeyPropertyFormat makes a key of it',
  })
})

test('values and the whole map may be expressions', async () => {
  await using built = await store({ secrets: { id: '${env.PASSWORD}' } }, { PASSWORD: btoa('hunter2') })
  const [secret] = (await built.object.find({ secretId: 'id', purpose: 'GENERIC' })) ?? []
  assert.equal(secret?.revealText(), 'hunter2')
})

test('a line break encoded with a password gives a warning', async () => {
  await using built = await store({ secrets: { id: btoa('hunter2\n') } })
  assert.deepEqual(built.warnings, [
    '/heap/0: the secret id "id": the encoded text ends in a line break, which is part of the secret; was that meant?',
  ])
})

const refusals: readonly [string, JsonValue, string][] = [
  ['no secrets', {}, 'secrets: expected a map of text in base64; this field is required'],
  [
    'plain text',
    { secrets: { id: 'hunter2!' } },
    'secrets/id: expected base64, found another character; use the format PLAIN for plain text',
  ],
  ['a number', { secrets: { id: 48_15_16_23 } }, 'secrets/id: expected text in base64'],
  ['nothing', { secrets: { id: '' } }, 'secrets/id: expected base64, got nothing'],
]

for (const [what, config, message] of refusals) {
  test(`refuses ${what} without its content in the message`, async () => {
    await assert.rejects(store(config), { message: `/heap/0/config/${message}` })
  })
}

test('an expression that returns no base64 is named in the message, its value is not', async () => {
  await assert.rejects(store({ secrets: { id: '${env.PASSWORD}' } }, { PASSWORD: 'hunter2!' }), (error: Error) => {
    assert.match(error.message, /\$\{env.PASSWORD\} gave a bad value/)
    assert.doesNotMatch(inspect(error, { depth: 9 }), /hunter2/)
    return true
  })
})
