import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SecretFormat } from '#contracts'
import type { JsonValue } from '#json'
import { build } from '#test/build'
import { Base64PropertyFormat } from '../base64/base64-property-format.ts'
import { JwkPropertyFormat } from '../jwk/jwk-property-format.ts'
import { PlainPropertyFormat } from '../plain/plain-property-format.ts'
import { SecretKeyPropertyFormat } from './secret-key-property-format.ts'

const format = (config: JsonValue) =>
  build<SecretFormat>(SecretKeyPropertyFormat, config, {
    types: [Base64PropertyFormat, JwkPropertyFormat, PlainPropertyFormat],
    heap: [
      { name: 'BASE64', type: 'Base64PropertyFormat' },
      { name: 'PLAIN', type: 'PlainPropertyFormat' },
    ],
  })

test('bytes become a symmetric key, from base64 by default', async () => {
  for (const [config, content] of [
    [{ algorithm: 'AES' }, 'aHVudGVyMg=='],
    [{ algorithm: 'AES', format: 'PLAIN' }, 'hunter2'],
  ] as const) {
    await using built = await format(config)
    const [secret] = await built.object.decode(Buffer.from(content), assert.fail)
    assert.equal(secret?.key?.type, 'secret')
    assert.equal(secret?.key?.export().toString(), 'hunter2')
    assert.equal(secret?.algorithm, 'AES')
  }
})

test('a format that returns no bytes is refused', async () => {
  await using built = await format({ algorithm: 'AES', format: { type: 'JwkPropertyFormat' } })
  await assert.rejects(built.object.decode(Buffer.from('{"kty":"oct","k":"aHVudGVyMg"}'), assert.fail), {
    message: 'expected the bytes of a symmetric key, got a key of another kind',
  })
})

const refusals: readonly [string, JsonValue, string][] = [
  ['no algorithm', {}, 'algorithm: expected a string; this field is required'],
  ['an empty algorithm', { algorithm: '' }, 'algorithm: expected a string that is not empty'],
  [
    'a format that is not there',
    { algorithm: 'AES', format: 'PLIAN' },
    'format: no SecretFormat named "PLIAN" in this heap or its parents; did you mean "PLAIN"?',
  ],
]

for (const [what, config, message] of refusals) {
  test(`refuses ${what}`, async () => {
    await assert.rejects(format(config), { message: `/heap/0/config/${message}` })
  })
}
