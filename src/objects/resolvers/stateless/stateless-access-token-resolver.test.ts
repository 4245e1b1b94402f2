import assert from 'node:assert/strict'
import { createHmac, sign } from 'node:crypto'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { type AccessTokenResolver, Secret } from '#contracts'
import { encryptJwt, signJwt } from '#jose'
import type { JsonObject, JsonValue } from '#json'
import { build, manualClock } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { keyPairs, keySecret, rawToken, symmetricKey, testKeysType } from '#test/token-secrets'
import { ClientHandler } from '../../handlers/reverse-proxy/client-handler.ts'
import { StatelessAccessTokenResolver } from './stateless-access-token-resolver.ts'

const { rsa, otherRsa, p256 } = keyPairs
const ISSUER = 'https://am.example.com/am/oauth2'
const clock = manualClock(1_794_702_000_000)
const now = clock.now() / 1000

const CLAIMS: JsonObject = {
  iss: ISSUER,
  sub: '(usr!demo)',
  tokenName: 'access_token',
  scope: ['openid', 'mail'],
  nbf: now - 60,
  iat: now - 60,
  exp: now + 3600,
  expires_in: 3_600_000,
}

const KEYS = testKeysType({
  'rsa.keys': [keySecret(otherRsa.publicKey, 'other'), keySecret(rsa.publicKey, 'mine')],
  'ec.key': [keySecret(p256.publicKey)],
  'rsa.private': [keySecret(rsa.privateKey)],
  'shared.key': [keySecret(symmetricKey(32))],
  'out.of.reach': null,
  encryption: [new Secret({ secretId: 'encryption', key: rsa.publicKey, purposes: ['ENCRYPT'] })],
})

const HEAP: JsonObject[] = [
  { name: 'Keys', type: 'TestKeys' },
  { name: 'ClientHandler', type: 'ClientHandler' },
]

async function resolve(token: string, config: JsonObject = {}) {
  const whole: JsonValue = { issuer: ISSUER, secretsProvider: 'Keys', verificationSecretId: 'rsa.keys', ...config }
  await using built = await build<AccessTokenResolver>(StatelessAccessTokenResolver, whole, {
    clock,
    types: [KEYS, ClientHandler],
    heap: HEAP,
  })
  return await built.object.resolve(token, exchangeFor('GET', 'http://app.example.com/'))
}

const signed = (claims: JsonObject, kid: string | null = 'mine') =>
  signJwt(keySecret(rsa.privateKey, kid), claims, { algorithm: 'RS256' })

async function refusalOf(claims: JsonObject, config: JsonObject = {}): Promise<string> {
  const resolution = await resolve(await signed(claims), config)
  assert.equal(resolution.outcome, 'invalid')
  return resolution.outcome === 'invalid' ? resolution.description : ''
}

test('a token signed by its issuer is valid, with its claims', async () => {
  const token = await signed(CLAIMS)
  const resolution = await resolve(token)

  assert.ok(resolution.outcome === 'valid')
  assert.equal(resolution.accessToken.token, token)
  assert.deepEqual(resolution.accessToken.info, CLAIMS)
  assert.deepEqual([...resolution.accessToken.scopes], ['openid', 'mail'])
  assert.equal(resolution.accessToken.expiresAt, (now + 3600) * 1000)
})

test('scopes may be one text', async () => {
  const resolution = await resolve(await signed({ ...CLAIMS, scope: 'openid mail' }))
  assert.ok(resolution.outcome === 'valid')
  assert.deepEqual([...resolution.accessToken.scopes], ['openid', 'mail'])
  assert.match(await refusalOf({ ...CLAIMS, scope: { openid: true } }), /scope is neither/)
})

test('StatelessAccessTokenResolver: kid that maps to an alias: the named secret is used', async () => {
  assert.equal((await resolve(await signed(CLAIMS, 'mine'))).outcome, 'valid')
})

test('StatelessAccessTokenResolver: kid that maps to an alias whose signature fails: the token is invalid', async () => {
  assert.equal((await resolve(await signed(CLAIMS, 'other'))).outcome, 'invalid')
})

test('StatelessAccessTokenResolver: kid that is not mapped: as if there were none', async () => {
  assert.equal((await resolve(await signed(CLAIMS, 'unknown'))).outcome, 'valid')
  assert.equal((await resolve(await signed(CLAIMS, '__proto__'))).outcome, 'valid')
})

test('StatelessAccessTokenResolver: no kid: all secrets are tried in order, and if none verifies the token is invalid', async () => {
  assert.equal((await resolve(await signed(CLAIMS, null))).outcome, 'valid')
  const byStranger = await signJwt(keySecret(p256.privateKey), CLAIMS, { algorithm: 'ES256' })
  assert.equal((await resolve(byStranger)).outcome, 'invalid')
  assert.equal((await resolve(byStranger, { verificationSecretId: 'ec.key' })).outcome, 'valid')
})

test('B45: the issuer is compared exactly', async () => {
  const { iss: _, ...without } = CLAIMS
  const others = [
    `${ISSUER}/`,
    ISSUER.toUpperCase(),
    ISSUER.slice(0, -1),
    `x${ISSUER}`,
    ` ${ISSUER}`,
    '',
    null,
    [ISSUER],
  ]
  for (const iss of others) assert.equal(await refusalOf({ ...CLAIMS, iss }), 'The token has another issuer.')
  assert.equal(await refusalOf(without), 'The token has another issuer.')
})

test('B45: the audience is compared exactly, if configured', async () => {
  const audience = { audience: 'https://api.example.com' }
  for (const aud of ['https://api.example.com', ['x', 'https://api.example.com']]) {
    assert.equal((await resolve(await signed({ ...CLAIMS, aud }), audience)).outcome, 'valid')
  }
  for (const aud of ['https://api.example.com/', 'HTTPS://api.example.com', [], null, ['x']]) {
    assert.equal(await refusalOf({ ...CLAIMS, aud }, audience), 'The token is for another audience.')
  }
  assert.equal(await refusalOf(CLAIMS, audience), 'The token is for another audience.')
  assert.equal((await resolve(await signed({ ...CLAIMS, aud: 'anybody' }))).outcome, 'valid')
})

test('ID tokens and refresh tokens are rejected', async () => {
  const { tokenName: _, ...without } = CLAIMS
  for (const tokenName of ['id_token', 'refresh_token', null]) {
    assert.equal(await refusalOf({ ...CLAIMS, tokenName }), 'The token is not an access token.')
  }
  assert.equal(await refusalOf(without), 'The token has the type "JWT", and "tokenTypes" admits at+jwt.')
})

test('tokens of the type at+jwt (RFC 9068) are accepted where an audience or their type is configured', async () => {
  const { tokenName: _, ...claims } = CLAIMS
  const typed = (typ: string, more: JsonObject = {}) =>
    signJwt(keySecret(rsa.privateKey, 'mine'), { ...claims, ...more }, { algorithm: 'RS256', typ })
  const audience = { audience: 'api' }
  const forApi = { aud: 'api' }
  assert.equal((await resolve(await typed('at+jwt', forApi), audience)).outcome, 'valid')
  assert.equal((await resolve(await typed('application/AT+JWT', forApi), audience)).outcome, 'valid')
  assert.equal((await resolve(await typed('JWT', forApi), audience)).outcome, 'invalid')
  assert.equal(
    (await resolve(await typed('at+jwt', { ...forApi, tokenName: 'id_token' }), audience)).outcome,
    'invalid',
  )
  assert.deepEqual(await resolve(await typed('at+jwt', forApi)), {
    outcome: 'invalid',
    description: 'A token of the type at+jwt is accepted only where "audience" or "tokenTypes" is configured.',
  })
  const named = await resolve(await typed('at+jwt', forApi), { tokenTypes: ['at+jwt'] })
  assert.equal(named.outcome, 'valid', 'audience is optional where tokenTypes names the type')
})

test('B46: exp and nbf are exact to the second, with the skew', async () => {
  assert.equal(await refusalOf({ ...CLAIMS, exp: now }), 'The token has expired.')
  assert.equal(await refusalOf({ ...CLAIMS, nbf: now + 1 }), 'The token is not valid yet.')
  const early = await resolve(await signed({ ...CLAIMS, exp: now - 4, nbf: now + 5 }), { skewAllowance: '5 seconds' })
  assert.ok(early.outcome === 'valid')
  assert.equal(early.accessToken.expiresAt, clock.now() + 1_000)
  assert.equal(await refusalOf({ ...CLAIMS, exp: now - 5 }, { skewAllowance: '5 seconds' }), 'The token has expired.')
})

test('B46: an exp that is missing, text, negative or infinite is rejected', async () => {
  const { exp: _, ...without } = CLAIMS
  assert.equal(await refusalOf(without), 'The token has no claim exp.')
  for (const exp of [String(now + 3600), -1, null, true, 1e30]) {
    assert.match(await refusalOf({ ...CLAIMS, exp }), /exp is not a number of seconds/)
  }
  const endless = rawToken({ alg: 'RS256' }, JSON.stringify(CLAIMS).replace(/"exp":\d+/, '"exp":1e400'), (text) =>
    sign('sha256', Buffer.from(text), rsa.privateKey),
  )
  assert.equal((await resolve(endless)).outcome, 'invalid')
})

test('B37: forged algorithms are rejected', async () => {
  const pem = rsa.publicKey.export({ type: 'spki', format: 'pem' })
  const forged = [
    rawToken({ alg: 'none' }, CLAIMS),
    rawToken({ alg: 'NoNe', kid: 'mine' }, CLAIMS),
    rawToken({ alg: 'HS256', kid: 'mine' }, CLAIMS, (text) => createHmac('sha256', pem).update(text).digest()),
    rawToken({ alg: ' HS256' }, CLAIMS, (text) => createHmac('sha256', pem).update(text).digest()),
  ]
  for (const token of forged) assert.equal((await resolve(token)).outcome, 'invalid')
})

test('B38: crit and b64 are rejected, signed or not', async () => {
  for (const extension of [{ crit: ['b64'], b64: false }, { crit: ['x'] }, { b64: false }]) {
    const token = rawToken({ alg: 'RS256', ...extension }, CLAIMS, (text) =>
      sign('sha256', Buffer.from(text), rsa.privateKey),
    )
    assert.equal((await resolve(token)).outcome, 'invalid')
  }
})

test('B39: keys and key URLs in a header are not used, and nothing is fetched', async (t) => {
  let asked = 0
  const server = createServer((_, response) => {
    asked++
    response.end(JSON.stringify({ keys: [p256.publicKey.export({ format: 'jwk' })] }))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  t.after(() => server.close())
  const { port } = server.address() as { port: number }
  const url = `http://127.0.0.1:${port}/keys`
  const jwk = p256.publicKey.export({ format: 'jwk' })
  for (const header of [{ jwk }, { jku: url }, { x5u: url }, { x5c: ['AAAA'] }, { jku: url, jwk, kid: url }]) {
    const token = rawToken({ alg: 'ES256', ...header }, CLAIMS, (text) =>
      sign('sha256', Buffer.from(text), { key: p256.privateKey, dsaEncoding: 'ieee-p1363' }),
    )
    assert.equal((await resolve(token)).outcome, 'invalid')
  }
  assert.equal(asked, 0)
})

test('B41: a signature of zeros is rejected', async () => {
  const token = rawToken({ alg: 'ES256' }, CLAIMS, () => Buffer.alloc(64))
  assert.equal((await resolve(token, { verificationSecretId: 'ec.key' })).outcome, 'invalid')
})

test('text of any length that is no token is invalid', async () => {
  for (const token of ['', 'opaque', 'a.b.c', `${'a'.repeat(100_000)}.b.c`, '{"active":true}', '\u0000']) {
    assert.equal((await resolve(token)).outcome, 'invalid')
  }
})

test('unavailable keys give the outcome unavailable, never valid', async () => {
  const token = await signed(CLAIMS)
  for (const verificationSecretId of ['out.of.reach', 'unknown', 'encryption']) {
    assert.deepEqual(await resolve(token, { verificationSecretId }), {
      outcome: 'unavailable',
      description: 'The keys of access tokens are unavailable.',
    })
  }
})

test('decryptionSecretId: claims encrypted by a shared key are accepted', async () => {
  const config = { issuer: ISSUER, decryptionSecretId: 'shared.key' }
  const text = await encryptJwt(keySecret(symmetricKey(32)), JSON.stringify(CLAIMS), {
    algorithm: 'dir',
    method: 'A256GCM',
    content: 'claims',
  })
  assert.equal((await resolveWith(text, config)).outcome, 'valid')
  assert.equal((await resolveWith(await signed(CLAIMS), config)).outcome, 'invalid')
})

test('decryptionSecretId: a token encrypted for a private key must be signed', async () => {
  const toPublic = { algorithm: 'RSA-OAEP-256', method: 'A256GCM' } as const
  const encrypting = keySecret(rsa.publicKey)
  const forged = await encryptJwt(encrypting, JSON.stringify(CLAIMS), { ...toPublic, content: 'claims' })
  const good = await encryptJwt(encrypting, await signed(CLAIMS), { ...toPublic, content: 'token' })
  const config = { issuer: ISSUER, decryptionSecretId: 'rsa.private' }

  assert.equal((await resolveWith(forged, config)).outcome, 'invalid')
  assert.equal((await resolveWith(good, config)).outcome, 'invalid')
  assert.equal((await resolveWith(forged, { ...config, verificationSecretId: 'rsa.keys' })).outcome, 'invalid')
  assert.equal((await resolveWith(good, { ...config, verificationSecretId: 'rsa.keys' })).outcome, 'valid')
})

test('B42: compressed tokens are rejected', async () => {
  const header = Buffer.from('{"alg":"dir","enc":"A256GCM","zip":"DEF"}').toString('base64url')
  const config = { issuer: ISSUER, decryptionSecretId: 'shared.key' }
  assert.deepEqual(await resolveWith(`${header}..AAAA.AAAA.AAAA`, config), {
    outcome: 'invalid',
    description: 'Compressed tokens (zip) are not supported.',
  })
})

async function resolveWith(token: string, config: JsonObject) {
  await using built = await build<AccessTokenResolver>(
    StatelessAccessTokenResolver,
    { secretsProvider: 'Keys', ...config },
    { clock, types: [KEYS, ClientHandler], heap: HEAP },
  )
  return await built.object.resolve(token, exchangeFor('GET', 'http://app.example.com/'))
}

test('a secret id or wellKnownEndpoint is required, and old names are accepted', async () => {
  await assert.rejects(build(StatelessAccessTokenResolver, { issuer: ISSUER }), {
    message: '/heap/0/config: give at least one of verificationSecretId, decryptionSecretId, wellKnownEndpoint',
  })
  const wellKnownEndpoint = 'https://a.example/.well-known/openid-configuration'
  await assert.rejects(build(StatelessAccessTokenResolver, { wellKnownEndpoint, verificationSecretId: 'a' }), {
    message: '/heap/0/config: give at most one of verificationSecretId, wellKnownEndpoint',
  })
  await assert.rejects(build(StatelessAccessTokenResolver, { verificationSecretId: 'a' }), /issuer/)
  await assert.rejects(
    build(StatelessAccessTokenResolver, { issuer: ISSUER, verificationSecretId: 'a', skewAllowance: 'unlimited' }),
    { message: '/heap/0/config/skewAllowance: expected a limited duration, got "unlimited"' },
  )
  await using built = await build(
    StatelessAccessTokenResolver,
    { issuer: ISSUER, signatureSecretId: 'a', encryptionSecretId: 'b' },
    { types: [KEYS, ClientHandler], heap: HEAP },
  )
  assert.equal(built.warnings.length, 2)
})

test('unavailable keys are logged at intervals', async () => {
  await using built = await build<AccessTokenResolver>(
    StatelessAccessTokenResolver,
    { issuer: ISSUER, verificationSecretId: 'out.of.reach', secretsProvider: 'Keys' },
    { clock, types: [KEYS, ClientHandler], heap: HEAP },
  )
  const token = await signed(CLAIMS)
  for (let times = 0; times < 5; times++) await built.object.resolve(token, exchangeFor('GET', 'http://a.example/'))
  const lines = built.log.lines.filter((line) => line.includes('access tokens can not be verified'))
  assert.equal(lines.length, 1)
})
