import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Filter, respond } from '#http'
import { signJwt } from '#jose'
import type { JsonObject } from '#json'
import { build, manualClock } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { keyPairs, keySecret, testKeysType } from '#test/token-secrets'
import { StaticResponseHandler } from '../../handlers/static-response/static-response-handler.ts'
import { IdTokenValidationFilter } from './id-token-validation-filter.ts'

const { rsa } = keyPairs
const clock = manualClock()
const now = clock.now() / 1000
const ISSUER = 'https://am.example.com/am/oauth2'
const CLAIMS: JsonObject = { iss: ISSUER, aud: 'client-app', sub: 'demo', iat: now, exp: now + 60 }
const KEYS = testKeysType({ verify: [keySecret(rsa.publicKey)] })

async function violations(claims: JsonObject, config: JsonObject = {}, header: JsonObject = {}): Promise<string> {
  const failureHandler = {
    type: 'StaticResponseHandler',
    config: {
      status: 403,
      headers: { 'Content-Type': ['text/plain; charset=utf-8'] },
      entity: '${contexts.jwtValidationError.violations[0].description}',
    },
  }
  const whole = {
    idToken: "${request.headers['id-token'][0]}",
    audience: 'client-app',
    issuer: ISSUER,
    verificationSecretId: 'verify',
    secretsProvider: 'Keys',
    failureHandler,
    ...config,
  }
  await using built = await build<Filter>(IdTokenValidationFilter, whole, {
    clock,
    types: [KEYS, StaticResponseHandler],
    heap: [{ name: 'Keys', type: 'TestKeys' }],
  })
  const token = await signJwt(keySecret(rsa.privateKey), claims, { algorithm: 'RS256', header })
  const exchange = exchangeFor('GET', 'http://app.example.com/', { headers: { 'id-token': token } })
  const response = await built.object(exchange, async () => respond(204))
  return response.status === 204 ? '' : (await response.body.bytes()).toString()
}

test('a request with a valid ID token is passed on', async () => {
  assert.equal(await violations(CLAIMS), '')
  assert.equal(await violations({ ...CLAIMS, aud: ['other', 'client-app'] }), '')
})

test('B45: the audience is compared exactly', async () => {
  const { aud: _, ...without } = CLAIMS
  assert.equal(await violations(without), 'the token is for another audience')
  for (const aud of ['Client-App', 'client-app ', 'client', 'client-app2', [], ['x'], null, { 'client-app': 1 }]) {
    assert.equal(await violations({ ...CLAIMS, aud }), 'the token is for another audience')
  }
})

test('B45: the issuer is checked if configured', async () => {
  const { iss: _, ...without } = CLAIMS
  assert.equal(await violations(without), 'the token has another issuer')
  assert.equal(await violations({ ...CLAIMS, iss: `${ISSUER}/` }), 'the token has another issuer')
  assert.equal(await violationsWithoutIssuer({ ...CLAIMS, iss: 'anyone' }), '')
})

async function violationsWithoutIssuer(claims: JsonObject): Promise<string> {
  const whole = {
    idToken: "${request.headers['id-token'][0]}",
    audience: 'client-app',
    verificationSecretId: 'verify',
    secretsProvider: 'Keys',
  }
  await using built = await build<Filter>(IdTokenValidationFilter, whole, {
    clock,
    types: [KEYS],
    heap: [{ name: 'Keys', type: 'TestKeys' }],
  })
  const token = await signJwt(keySecret(rsa.privateKey), claims, { algorithm: 'RS256' })
  const exchange = exchangeFor('GET', 'http://app.example.com/', { headers: { 'id-token': token } })
  return (await built.object(exchange, async () => respond(204))).status === 204 ? '' : 'refused'
}

test('exp and iat are required', async () => {
  const { iat: _, ...withoutIat } = CLAIMS
  const { exp: __, ...withoutExp } = CLAIMS
  assert.equal(await violations(withoutIat), 'the token has no claim iat')
  assert.equal(await violations(withoutExp), 'the token has no claim exp')
  assert.equal(await violations({ ...CLAIMS, iat: now + 60 }), '')
  assert.equal(await violations({ ...CLAIMS, iat: now + 61 }), 'the token was issued in the future')
  assert.equal(await violations({ ...CLAIMS, iat: now + 61 }, { skewAllowance: '61 seconds' }), '')
})

test('tokens of other uses by the same keys are no ID tokens', async () => {
  const event = { 'http://schemas.openid.net/event/backchannel-logout': {} }
  const found = async (claims: JsonObject, header: JsonObject = {}) => violations({ ...CLAIMS, ...claims }, {}, header)
  for (const typ of ['at+jwt', 'logout+jwt', 'secevent+jwt'])
    assert.equal(await found({}, { typ }), 'the token is not an ID token', typ)
  for (const claims of [{ token_use: 'access' }, { typ: 'Refresh' }, { tokenName: 'access_token' }, { events: event }])
    assert.equal(await found(claims), 'the token is not an ID token', JSON.stringify(claims))
  assert.equal(await found({ typ: 'ID', token_use: 'id', tokenName: 'id_token', nonce: 'n', at_hash: 'x' }), '')
})

test('a user is required', async () => {
  const { sub: _, ...withoutSub } = CLAIMS
  assert.equal(await violations(withoutSub), 'the token has no claim sub')
  assert.equal(await violations({ ...CLAIMS, sub: 7 }), 'the claim sub is not a text')
})

test('a token with several audiences that was issued to another client is refused', async () => {
  const aud = ['client-app', 'other']
  assert.equal(await violations({ ...CLAIMS, aud, azp: 'other' }), 'the token was issued to another client')
  assert.equal(await violations({ ...CLAIMS, aud, azp: 'client-app' }), '')
  assert.equal(await violations({ ...CLAIMS, azp: 'android-app' }), '')
})

test('one of several audiences is enough', async () => {
  const audience = ['web-app', 'client-app']
  assert.equal(await violations(CLAIMS, { audience }), '')
  assert.equal(await violations({ ...CLAIMS, aud: ['web-app', 'x'], azp: 'web-app' }, { audience }), '')
  assert.equal(await violations({ ...CLAIMS, aud: 'other' }, { audience }), 'the token is for another audience')
  await assert.rejects(violations(CLAIMS, { audience: [] }), /audience/)
})

test('audience and keys are required', async () => {
  await assert.rejects(build(IdTokenValidationFilter, { idToken: 'x', verificationSecretId: 'a' }), /audience/)
  await assert.rejects(build(IdTokenValidationFilter, { idToken: 'x', audience: 'a' }), {
    message: '/heap/0/config: give at least one of verificationSecretId, decryptionSecretId',
  })
})
