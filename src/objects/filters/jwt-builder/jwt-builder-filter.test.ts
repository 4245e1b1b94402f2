import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JwtBuilderContext, type OAuth2, OAuth2Context } from '#contracts'
import { type Exchange, type Filter, respond } from '#http'
import { openJwt, parseSignedToken } from '#jose'
import type { JsonObject } from '#json'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { keyPairs, keySecret, sourceOf, symmetricKey, testKeysType } from '#test/token-secrets'
import { JwtBuilderFilter } from './jwt-builder-filter.ts'

const { rsa, p256 } = keyPairs
const KEYS = testKeysType({
  'rsa.private': [keySecret(rsa.privateKey, 'k1')],
  'rsa.public': [keySecret(rsa.publicKey)],
  'ec.private': [keySecret(p256.privateKey)],
  'shared.key': [keySecret(symmetricKey(32))],
  'out.of.reach': null,
})

const SIGNATURE = { secretId: 'rsa.private' }

async function made(config: JsonObject, change: (exchange: Exchange) => Exchange = (exchange) => exchange) {
  const whole = { template: { sub: 'demo' }, secretsProvider: 'Keys', ...config }
  await using built = await build<Filter>(JwtBuilderFilter, whole, {
    types: [KEYS],
    heap: [{ name: 'Keys', type: 'TestKeys' }],
  })
  let passed: Exchange | null = null
  const exchange = change(exchangeFor('GET', 'http://app.example.com/x?a=1', { headers: { 'X-Name': 'bjensen' } }))
  await built.object(exchange, async (next) => {
    passed = next
    return respond(200)
  })
  return (passed as Exchange | null)?.context(JwtBuilderContext) as NonNullable<ReturnType<typeof context>>
}

const context = (exchange: Exchange) => exchange.context(JwtBuilderContext)

test('builds a signed token with the claims of the template', async () => {
  const template = {
    name: "${request.headers['X-Name'][0]}",
    uri: '${request.uri.path}',
    list: ['${request.method}', 7, true, null],
    nested: { text: 'plain' },
  }
  const { value, claims, claimsAsJsonValue } = await made({ template, signature: SIGNATURE })
  const expected = { name: 'bjensen', uri: '/x', list: ['GET', 7, true, null], nested: { text: 'plain' } }
  assert.deepEqual(claims, expected)
  assert.deepEqual(claimsAsJsonValue, expected)
  const opened = await openJwt(value, { verification: sourceOf(keySecret(rsa.publicKey)) })
  assert.deepEqual(opened.outcome === 'opened' && opened.claims, expected)
  assert.deepEqual(parseSignedToken(value).header.members, { alg: 'RS256', typ: 'JWT', kid: 'k1' })
})

test('the template may be one expression that returns a map; sets become lists', async () => {
  const accessToken = { token: 't', info: { sub: 'demo' }, scopes: new Set(['a', 'b']), expiresAt: null }
  const withToken = (exchange: Exchange) => exchange.with(OAuth2Context, { accessToken } satisfies OAuth2)
  const one = await made({ template: '${contexts.oauth2.accessToken.info}', signature: SIGNATURE }, withToken)
  assert.deepEqual(one.claims, { sub: 'demo' })
  const sets = await made(
    { template: { scope: '${contexts.oauth2.accessToken.scopes}' }, signature: SIGNATURE },
    withToken,
  )
  assert.deepEqual(sets.claims, { scope: ['a', 'b'] })
})

test('signature: algorithm and key id as configured', async () => {
  const signature = { secretId: 'rsa.private', algorithm: 'PS512', includeKeyId: false }
  const { value } = await made({ signature })
  assert.deepEqual(parseSignedToken(value).header.members, { alg: 'PS512', typ: 'JWT' })
})

test('signed, then encrypted', async () => {
  const encryption = { secretId: 'shared.key', algorithm: 'dir', method: 'A256GCM' }
  const { value } = await made({ signature: { ...SIGNATURE, encryption } })
  const opened = await openJwt(value, {
    verification: sourceOf(keySecret(rsa.publicKey)),
    decryption: sourceOf(keySecret(symmetricKey(32))),
  })
  assert.deepEqual(opened.outcome === 'opened' && opened.claims, { sub: 'demo' })
})

test('encrypted only', async () => {
  const { value } = await made({ encryption: { secretId: 'shared.key', algorithm: 'A256KW', method: 'A128CBC-HS256' } })
  const opened = await openJwt(value, { decryption: sourceOf(keySecret(symmetricKey(32))) })
  assert.deepEqual(opened.outcome === 'opened' && opened.claims, { sub: 'demo' })
})

test('a token that can not be built is a fault, and the request is not passed on', async () => {
  const bad: [JsonObject, RegExp][] = [
    [{ signature: { secretId: 'ec.private' } }, /can not sign by RS256; its key is one for ES256/],
    [{ signature: { secretId: 'rsa.public' } }, /it has no private key/],
    [{ signature: { secretId: 'unknown' } }, /no secret store knows/],
    [{ signature: { secretId: 'out.of.reach' } }, /can not serve/],
    [{ encryption: { secretId: 'shared.key', algorithm: 'dir', method: 'A128GCM' } }, /can not encrypt by A128GCM/],
    [{ template: { a: '${request}' }, signature: SIGNATURE }, /template\/a: expected data that JSON can hold/],
    [{ template: "${request.headers['none']}", signature: SIGNATURE }, /map/],
  ]
  for (const [config, message] of bad) await assert.rejects(made(config), { message })
})

test('errors of the configuration are reported when the route loads', async () => {
  const refused = (config: JsonObject, message: string | RegExp) =>
    assert.rejects(build(JwtBuilderFilter, { template: {}, ...config }), { message })
  await refused({}, /^\/heap\/0\/config: give exactly one of signature, encryption: anyone .*"algorithm": "ES256"/)
  const encryption = { secretId: 'a', algorithm: 'dir', method: 'A256GCM' }
  await refused({ signature: SIGNATURE, encryption }, '/heap/0/config: give exactly one of signature, encryption')
  await refused(
    { signature: { secretId: 'a', algorithm: 'none' } },
    /^\/heap\/0\/config\/signature\/algorithm: expected one of "RS256"/,
  )
  await refused({ encryption: { ...encryption, algorithm: 'RSA1_5' } }, /^\/heap\/0\/config\/encryption\/algorithm: /)
  await refused({ encryption: { secretId: 'a', algorithm: 'dir' } }, /method/)
  await refused({ template: [], signature: SIGNATURE }, /^\/heap\/0\/config\/template: /)
})
