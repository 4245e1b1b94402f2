import assert from 'node:assert/strict'
import { createPublicKey, createSecretKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { test } from 'node:test'
import { Secret, SecretError, type SecretParts, SecretStoreKind } from '#contracts'
import type { Handler } from '#http'
import type { JsonValue } from '#json'
import { defineType } from '#schema'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { JwkSetHandler } from './jwk-set-handler.ts'

const active = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
const older = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
const retired = createPublicKey(generateKeyPairSync('ed25519').privateKey)
const symmetric = createSecretKey(Buffer.from('hunter2hunter2!!'))
const dsa = generateKeyPairSync('dsa', { modulusLength: 2048, divisorLength: 256 }).privateKey

const key = (stableId: string | null, key: KeyObject, more: Partial<SecretParts> = {}) => ({ stableId, key, ...more })
const SECRETS: Readonly<Record<string, readonly Omit<SecretParts, 'secretId'>[]>> = {
  'sign.key': [key('active', active, { algorithm: 'RS256' }), key('older', older), key('retired', retired)],
  nameless: [key(null, older)],
  pem: [key('rsa', active), key('ec', older)],
  secret: [key('hmac', symmetric, { algorithm: 'HmacSHA256' })],
  encryption: [key('enc', older, { purposes: ['ENCRYPT', 'DECRYPT'] })],
  odd: [key('dsa', dsa), key('older', older)],
}

const Keys = defineType({
  name: 'Keys',
  kind: SecretStoreKind,
  summary: 'Knows some keys.',
  config: {},
  create: () => ({
    find: async ({ secretId }) => {
      if (secretId === 'broken') throw new SecretError('the store is broken')
      return SECRETS[secretId]?.map((parts) => new Secret({ secretId, ...parts })) ?? null
    },
    onChange: () => () => {},
  }),
})

const handler = (purposes: JsonValue, more: Record<string, JsonValue> = {}) =>
  build<Handler>(JwkSetHandler, { secretsProvider: { type: 'Keys' }, purposes, ...more }, { types: [Keys] })

async function published(purposes: JsonValue, more: Record<string, JsonValue> = {}) {
  await using built = await handler(purposes, more)
  const response = await built.object(exchangeFor('GET', 'http://gateway.example/jwks'))
  const text = Buffer.from(await response.body.read(100_000)).toString()
  const keys = response.status === 200 ? (JSON.parse(text).keys as Record<string, string>[]) : []
  return { response, text, keys, built }
}

const signing = [{ secretId: 'sign.key', keyUsage: 'SIGN' }]

test('every key of the id is published, the active one first, without private parts', async () => {
  const { response, keys, text } = await published(signing)
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('content-type'), 'application/jwk-set+json')
  assert.equal(response.headers.get('cache-control'), 'max-age=60')
  assert.deepEqual(
    keys.map(({ kid, kty, use, alg }) => [kid, kty, use, alg]),
    [
      ['active', 'RSA', 'sig', 'RS256'],
      ['older', 'EC', 'sig', 'ES256'],
      ['retired', 'OKP', 'sig', 'EdDSA'],
    ],
  )
  for (const jwk of keys) for (const name of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']) assert.equal(jwk[name], undefined)
  assert.doesNotMatch(text, new RegExp(active.export({ format: 'jwk' }).d as string))
})

test('keys without an id get their thumbprint as kid', async () => {
  const { keys } = await published([{ secretId: 'nameless', keyUsage: 'VERIFY' }])
  assert.match(keys[0]?.['kid'] ?? '', /^[\w-]{43}$/)
})

test('keyUsage sets use, and keys that do not suit it are omitted', async () => {
  for (const keyUsage of ['AGREE_KEY', 'DECRYPT', 'ENCRYPT', 'UNWRAP_KEY', 'WRAP_KEY', 'decrypt']) {
    const { keys } = await published([{ secretId: 'encryption', keyUsage }])
    assert.deepEqual(
      keys.map(({ kid, use }) => [kid, use]),
      [['enc', 'enc']],
    )
  }
  assert.equal((await published([{ secretId: 'encryption', keyUsage: 'SIGN' }])).response.status, 503)
})

test('symmetric keys are never published by default', async () => {
  const { keys, text } = await published([...signing, { secretId: 'secret', keyUsage: 'SIGN' }])
  assert.equal(keys.length, 3)
  assert.doesNotMatch(text, /hmac|aHVudGVy/)
})

test('exposePrivateSecrets publishes private parts, with a warning and no-store', async () => {
  const purposes = [...signing, { secretId: 'secret', keyUsage: 'VERIFY' }]
  const { keys, response, built } = await published(purposes, { exposePrivateSecrets: true })
  assert.equal(response.headers.get('cache-control'), 'no-store')
  assert.equal(keys[0]?.['d'], active.export({ format: 'jwk' }).d)
  assert.equal(keys[2]?.['d'], undefined)
  assert.deepEqual(keys[3], { kty: 'oct', k: 'aHVudGVyMmh1bnRlcjIhIQ', kid: 'hmac', use: 'sig' })
  assert.deepEqual(built.warnings, [
    '/heap/0: private keys are sent to every client that can reach this handler; protect it, or set exposePrivateSecrets to false',
  ])
})

test('the same key for the same use is published once, and a key type without a JWK form is omitted', async () => {
  const { keys, built } = await published([
    { secretId: 'odd', keyUsage: 'SIGN' },
    { secretId: 'sign.key', keyUsage: 'VERIFY' },
  ])
  assert.deepEqual(
    keys.map(({ kid }) => kid),
    ['older', 'active', 'retired'],
  )
  assert.match(built.log.lines.join(''), /key type without a JWK form/)
})

for (const secretId of ['broken', 'unknown']) {
  test(`a secret id that is ${secretId} gives 503, so that clients keep their cached keys`, async () => {
    const { response, text, built } = await published([...signing, { secretId, keyUsage: 'SIGN' }])
    assert.equal(response.status, 503)
    assert.equal(response.headers.get('cache-control'), 'no-store')
    assert.equal(text, 'Service Unavailable')
    assert.match(built.log.lines.join(''), /the store is broken|no secret store knows the secret id/)
  })
}

test('other methods get 405', async () => {
  await using built = await handler(signing)
  assert.equal((await built.object(exchangeFor('HEAD', 'http://gateway.example/jwks'))).status, 200)
  const response = await built.object(exchangeFor('POST', 'http://gateway.example/jwks'))
  assert.equal(response.status, 405)
  assert.equal(response.headers.get('allow'), 'GET, HEAD')
})

const refusals: readonly [string, JsonValue, string][] = [
  [
    'no purposes',
    { secretsProvider: { type: 'Keys' } },
    'purposes: expected an array of object; this field is required',
  ],
  ['an empty list', { secretsProvider: { type: 'Keys' }, purposes: [] }, 'purposes: expected at least one element'],
  [
    'no provider',
    { purposes: signing },
    'secretsProvider: expected a SecretsProvider reference; this field is required',
  ],
  [
    'an unknown usage',
    { secretsProvider: { type: 'Keys' }, purposes: [{ secretId: 'a', keyUsage: 'SING' }] },
    'purposes/0/keyUsage: expected one of "AGREE_KEY", "DECRYPT", "ENCRYPT", "SIGN", "UNWRAP_KEY", "VERIFY", "WRAP_KEY", got "SING"',
  ],
]

for (const [what, config, message] of refusals) {
  test(`refuses ${what}`, async () => {
    await assert.rejects(build(JwkSetHandler, config, { types: [Keys] }), { message: `/heap/0/config/${message}` })
  })
}

test('jwkAlgorithm is the alg of keys without one, where it suits them; that of the purpose takes precedence', async () => {
  const pem = { secretId: 'pem', keyUsage: 'SIGN' }
  const algs = async (purposes: JsonValue, more: Record<string, JsonValue> = {}) =>
    (await published(purposes, more)).keys.map(({ alg }) => alg)
  assert.deepEqual(await algs([pem]), [undefined, 'ES256'])
  assert.deepEqual(await algs([pem], { jwkAlgorithm: 'RS256' }), ['RS256', 'ES256'])
  assert.deepEqual(await algs([{ ...pem, jwkAlgorithm: 'PS384' }], { jwkAlgorithm: 'RS256' }), ['PS384', 'ES256'])
  const encryption = [{ secretId: 'pem', keyUsage: 'DECRYPT', jwkAlgorithm: 'RSA-OAEP-256' }]
  assert.deepEqual(await algs(encryption), ['RSA-OAEP-256', undefined])
  assert.deepEqual(await algs(signing, { jwkAlgorithm: 'PS256' }), ['RS256', 'ES256', 'EdDSA'])
})

test('refused: a signature algorithm for decryption keys', async () => {
  const purposes = [{ secretId: 'pem', keyUsage: 'DECRYPT', jwkAlgorithm: 'RS256' }]
  await assert.rejects(handler(purposes), (error: Error & { problems?: object[] }) => {
    assert.match(JSON.stringify(error.problems), /purposes.0.jwkAlgorithm.*expected an algorithm for DECRYPT/)
    return true
  })
})
