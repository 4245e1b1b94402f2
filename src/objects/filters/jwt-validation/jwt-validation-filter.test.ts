import assert from 'node:assert/strict'
import { createHmac, sign } from 'node:crypto'
import { test } from 'node:test'
import { JwtValidationContext, JwtValidatorCustomizerKind } from '#contracts'
import { type AuditDecision, type Exchange, type Filter, respond } from '#http'
import { encryptJwt, signJwt } from '#jose'
import type { JsonObject } from '#json'
import { defineType, string } from '#schema'
import { build, manualClock } from '#test/build'
import { auditedExchange } from '#test/exchange'
import { keyPairs, keySecret, rawToken, symmetricKey, testKeysType } from '#test/token-secrets'
import { StaticResponseHandler } from '../../handlers/static-response/static-response-handler.ts'
import { JwtValidationFilter } from './jwt-validation-filter.ts'

const { rsa, otherRsa, p256 } = keyPairs
const clock = manualClock()
const now = clock.now() / 1000

const KEYS = testKeysType({
  'rsa.keys': [keySecret(otherRsa.publicKey, 'other'), keySecret(rsa.publicKey, 'mine')],
  'rsa.private': [keySecret(rsa.privateKey)],
  'shared.key': [keySecret(symmetricKey(32))],
  'out.of.reach': null,
})

/** Requires the claim `level`. */
const LevelCustomizer = defineType({
  name: 'LevelCustomizer',
  kind: JwtValidatorCustomizerKind,
  summary: 'Wants a level.',
  config: { level: string() },
  create: ({ level }) => ({
    violations: async (claims) => (claims['level'] === level ? [] : [`the claim level is not ${level}`]),
  }),
})

const CONFIG: JsonObject = {
  jwt: "${request.headers['jwt'][0]}",
  verificationSecretId: 'rsa.keys',
  secretsProvider: 'Keys',
}

interface Seen {
  readonly status: number
  readonly retryAfter: string | null
  readonly text: string
  /** The exchange that was passed on. */
  readonly passed: Exchange | null
  readonly decision: AuditDecision | null
}

async function send(token: string | null, config: JsonObject = CONFIG): Promise<Seen> {
  await using built = await build<Filter>(JwtValidationFilter, config, {
    clock,
    types: [KEYS, StaticResponseHandler, LevelCustomizer],
    heap: [{ name: 'Keys', type: 'TestKeys' }],
  })
  let passed: Exchange | null = null
  const headers: Record<string, string> = token === null ? {} : { jwt: token }
  const sent = auditedExchange('GET', 'http://app.example.com/', { headers })
  const response = await built.object(sent, async (exchange) => {
    passed = exchange
    return respond(200)
  })
  const decision = sent.audit?.decision ?? null
  const { status, headers: answered } = response
  return {
    status,
    retryAfter: answered.get('retry-after'),
    text: (await response.body.bytes()).toString(),
    passed,
    decision,
  }
}

const signed = (claims: JsonObject, kid: string | null = 'mine') =>
  signJwt(keySecret(rsa.privateKey, kid), claims, { algorithm: 'RS256' })

test('a request with a valid token is passed on, with its claims in a context', async () => {
  const token = await signed({ sub: 'demo', exp: now + 60, roles: ['a'] })
  const { status, passed } = await send(token)
  assert.equal(status, 200)
  const context = passed?.context(JwtValidationContext)
  assert.equal(context?.value, token)
  assert.deepEqual(context?.info, { sub: 'demo', exp: now + 60, roles: ['a'] })
  assert.equal(context?.claims.get('sub'), 'demo')
  assert.equal(context?.jwt.header['alg'], 'RS256')
})

test('responds 403 without a token or with an invalid one', async () => {
  assert.equal((await send(null)).status, 403)
  assert.equal((await send('')).status, 403)
  for (const token of ['opaque', 'a.b.c', rawToken({ alg: 'none' }, {}), 'x'.repeat(100_000)]) {
    const { status, passed, text } = await send(token)
    assert.deepEqual({ status, passed, text }, { status: 403, passed: null, text: '' })
  }
})

test('failureHandler handles rejected requests, with the violations in a context', async () => {
  const config = {
    ...CONFIG,
    failureHandler: {
      type: 'StaticResponseHandler',
      config: {
        status: 401,
        headers: { 'Content-Type': ['text/plain; charset=utf-8'] },
        entity: '${contexts.jwtValidationError.violations[0].description}: ${contexts.jwtValidationError.jwt == null}',
      },
    },
  }
  const expired = await send(await signed({ exp: now }), config)
  assert.deepEqual([expired.status, expired.text], [401, 'the token has expired: false'])
  const missing = await send(null, config)
  assert.deepEqual([missing.status, missing.text], [401, 'there is no token: true'])
})

test('B46: times in the claims are checked, with the skew', async () => {
  const statuses = async (claims: JsonObject, skewAllowance = 'zero') =>
    (await send(await signed(claims), { ...CONFIG, skewAllowance })).status
  assert.equal(await statuses({}), 200)
  assert.equal(await statuses({ exp: now }), 403)
  assert.equal(await statuses({ nbf: now + 1 }), 403)
  assert.equal(await statuses({ iat: now + 61 }), 403)
  assert.equal(await statuses({ exp: now - 9, nbf: now + 10, iat: now + 10 }, '10 seconds'), 200)
  assert.equal(await statuses({ exp: now - 10 }, '10 seconds'), 403)
  for (const exp of [String(now + 60), null, -5]) assert.equal(await statuses({ exp }), 403)
})

test('B37, B38, B40, B41: forged tokens are rejected', async () => {
  const pem = rsa.publicKey.export({ type: 'spki', format: 'pem' })
  const byRsa = (text: string) => sign('sha256', Buffer.from(text), rsa.privateKey)
  const tokens = [
    rawToken({ alg: 'none' }, {}),
    rawToken({ alg: 'HS256' }, {}, (text) => createHmac('sha256', pem).update(text).digest()),
    rawToken({ alg: 'RS256', crit: ['exp'] }, {}, byRsa),
    rawToken({ alg: 'RS256', b64: false, crit: ['b64'] }, {}, byRsa),
    rawToken({ alg: 'RS256', kid: 'other' }, {}, byRsa),
    rawToken({ alg: 'ES256' }, {}, () => Buffer.alloc(64)),
    await signJwt(keySecret(p256.privateKey), {}, { algorithm: 'ES256' }),
  ]
  for (const token of tokens) assert.equal((await send(token)).status, 403)
})

test('encrypted tokens: by a shared key alone, by a private key only with a signature', async () => {
  const direct = { algorithm: 'dir', method: 'A256GCM' } as const
  const shared = keySecret(symmetricKey(32))
  const decrypting = { jwt: CONFIG['jwt'] as string, secretsProvider: 'Keys', decryptionSecretId: 'shared.key' }
  const claims = await encryptJwt(shared, '{"sub":"demo"}', { ...direct, content: 'claims' })
  const nested = await encryptJwt(shared, await signed({ sub: 'demo' }), { ...direct, content: 'token' })
  assert.equal((await send(claims, decrypting)).status, 200)
  assert.equal((await send(await signed({ sub: 'demo' }), decrypting)).status, 403)
  assert.equal((await send(nested, { ...CONFIG, decryptionSecretId: 'shared.key' })).status, 200)
  assert.equal((await send(claims, { ...CONFIG, decryptionSecretId: 'shared.key' })).status, 403)

  const forged = await encryptJwt(keySecret(rsa.publicKey), '{"sub":"demo"}', {
    algorithm: 'RSA-OAEP',
    method: 'A256GCM',
    content: 'claims',
  })
  assert.equal((await send(forged, { ...decrypting, decryptionSecretId: 'rsa.private' })).status, 403)
})

test('responds 503 where keys are unavailable, also with a failure handler', async () => {
  const failureHandler = { type: 'StaticResponseHandler', config: { status: 200 } }
  for (const verificationSecretId of ['out.of.reach', 'unknown']) {
    const config = { ...CONFIG, verificationSecretId, failureHandler }
    const { status, retryAfter, passed } = await send(await signed({}), config)
    assert.deepEqual([status, retryAfter, passed], [503, '5', null])
  }
})

test('a customizer adds requirements, and can not remove any', async () => {
  const config = { ...CONFIG, customizer: { type: 'LevelCustomizer', config: { level: 'high' } } }
  assert.equal((await send(await signed({ level: 'high' }), config)).status, 200)
  const { status, decision } = await send(await signed({ level: 'low' }), config)
  assert.deepEqual([status, decision?.reason], [403, 'the customizer does not accept the claims'])
  assert.equal((await send(await signed({ level: 'high', exp: now }), config)).status, 403)
})

test('an expression that fails is a fault', async () => {
  await assert.rejects(send('x', { ...CONFIG, jwt: '${integer(request.headers.jwt[0]) / 0}' }))
})

test('a configuration that can not verify tokens is refused when the route loads', async () => {
  await assert.rejects(build(JwtValidationFilter, { jwt: '${null}' }), {
    message: '/heap/0/config: give at least one of verificationSecretId, decryptionSecretId',
  })
  await assert.rejects(build(JwtValidationFilter, { verificationSecretId: 'a' }), /jwt/)
})
