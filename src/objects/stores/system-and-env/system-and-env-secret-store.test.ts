import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { providerOf, type SecretStore } from '#contracts'
import type { JsonValue } from '#json'
import { build } from '#test/build'
import { Base64PropertyFormat } from '../../formats/base64/base64-property-format.ts'
import { PlainPropertyFormat } from '../../formats/plain/plain-property-format.ts'
import { SecretKeyPropertyFormat } from '../../formats/secret-key/secret-key-property-format.ts'
import { SystemAndEnvSecretStore } from './system-and-env-secret-store.ts'

const store = (config: JsonValue, env: Record<string, string>) =>
  build<SecretStore>(SystemAndEnvSecretStore, config, {
    env,
    types: [Base64PropertyFormat, PlainPropertyFormat, SecretKeyPropertyFormat],
    heap: [
      { name: 'BASE64', type: 'Base64PropertyFormat' },
      { name: 'PLAIN', type: 'PlainPropertyFormat' },
    ],
  })

test('the variable of an id is in upper case, its dots and dashes are underscores; base64 by default', async () => {
  await using built = await store({}, { MY_SECRET_ID: btoa('hunter2'), 'my.secret.id': btoa('other') })
  for (const secretId of ['my.secret.id', 'my.secret-id']) {
    const [secret] = (await built.object.find({ secretId, purpose: 'GENERIC' })) ?? []
    assert.equal(secret?.revealText(), 'hunter2')
  }
  for (const secretId of ['my.secret', '__proto__', 'constructor']) {
    assert.equal(await built.object.find({ secretId, purpose: 'GENERIC' }), null)
  }
})

test('PLAIN, and formats of single secrets', async () => {
  const mappings = [{ secretId: 'a.key', format: { type: 'SecretKeyPropertyFormat', config: { algorithm: 'AES' } } }]
  await using built = await store({ format: 'PLAIN', mappings }, { WORD: 'hunter2', A_KEY: btoa('0123456789abcdef') })
  const provider = providerOf([built.object])
  assert.equal((await provider.active({ secretId: 'word', purpose: 'GENERIC' })).revealText(), 'hunter2')
  const key = await provider.active({ secretId: 'a.key', purpose: 'SIGN' })
  assert.equal(key.privateOrSecretKey?.symmetricKeySize, 16)
})

test('an undecodable value is reported with store, id and variable, without its content', async () => {
  await using built = await store({}, { WORD: 'hunter2!', BREAK: 'aHVudGVyMgo=' })
  await assert.rejects(built.object.find({ secretId: 'word', purpose: 'GENERIC' }), (error: Error) => {
    assert.equal(
      error.message,
      'gateway+object: the secret id "word" in the environment variable WORD: expected base64, found another character; use the format PLAIN for plain text',
    )
    assert.doesNotMatch(inspect(error, { depth: 9 }), /hunter2/)
    return true
  })
  await built.object.find({ secretId: 'break', purpose: 'GENERIC' })
  assert.match(built.log.lines.join(''), /the environment variable BREAK: the encoded text ends in a line break/)
  assert.doesNotMatch(built.log.lines.join(''), /hunter2|aHVudGVyMg/)
})

for (const leaseExpiry of ['zero', '0 s', 'unlimited']) {
  test(`a leaseExpiry of ${leaseExpiry} gives a warning and the default is used`, async () => {
    await using built = await store({ leaseExpiry }, { A: btoa('x') })
    const word = leaseExpiry === 'unlimited' ? 'unlimited' : 'zero'
    assert.deepEqual(built.warnings, [`/heap/0: leaseExpiry can not be ${word}; the default of 5 minutes is used`])
    assert.equal((await built.object.find({ secretId: 'a', purpose: 'GENERIC' }))?.length, 1)
  })
}

test('an id that is mapped twice is refused', async () => {
  const mappings = ['a', 'b', 'a'].map((secretId) => ({ secretId, format: 'PLAIN' }))
  await assert.rejects(store({ mappings }, {}), {
    message: '/heap/0/config/mappings/2/secretId: the secret id "a" is mapped twice',
  })
})
