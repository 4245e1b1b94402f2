import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import type { SecretFormat } from '#contracts'
import { build } from '#test/build'
import { JwkPropertyFormat } from './jwk-property-format.ts'

const { privateKey } = generateKeyPairSync('ed25519')
const jwk = privateKey.export({ format: 'jwk' })

async function decoded(content: string) {
  await using built = await build<SecretFormat>(JwkPropertyFormat, {})
  const [secret] = await built.object.decode(Buffer.from(content), assert.fail)
  return secret
}

test('a key with its id, algorithm and use', async () => {
  const secret = await decoded(JSON.stringify({ ...jwk, kid: 'k1', alg: 'EdDSA', use: 'sig' }))
  assert.ok(secret?.key?.equals(privateKey))
  assert.equal(secret?.stableId, 'k1')
  assert.equal(secret?.algorithm, 'EdDSA')
  assert.deepEqual(secret?.purposes, ['SIGN', 'VERIFY'])
})

test('a key without an id gets its thumbprint as id, a symmetric key has none', async () => {
  assert.match((await decoded(JSON.stringify(jwk)))?.stableId ?? '', /^[\w-]{43}$/)
  assert.equal((await decoded('{"kty":"oct","k":"aHVudGVyMg"}'))?.stableId, null)
})

test('content that is no key is refused, without it in the message', async () => {
  for (const content of ['hunter2', '{"kty":"oct","k":"hunter2!"}', '["hunter2"]', '{"kty":"OKP","d":"hunter2"}']) {
    await assert.rejects(decoded(content), (error: Error) => {
      assert.doesNotMatch(`${error.stack}`, /hunter2/)
      return true
    })
  }
})
