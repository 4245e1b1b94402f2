import assert from 'node:assert/strict'
import { createPublicKey, createSecretKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { test } from 'node:test'
import { type Filter, respond } from '#http'
import { parseSignedToken, readClaims, SignatureKey } from '#jose'
import type { JsonValue } from '#json'
import { build, manualClock } from '#test/build'
import { type ChangingSecrets, secretsType } from '#test/changing-secrets'
import { exchangeFor } from '#test/exchange'
import { PrivateKeyJwtClientAuthenticationFilter } from './private-key-jwt-client-authentication-filter.ts'

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).privateKey
const KEYS = {
  rsa,
  p256: ec('P-256'),
  p384: ec('P-384'),
  p521: ec('P-521'),
  ed: generateKeyPairSync('ed25519').privateKey,
}
const SECRETS: ChangingSecrets = {
  ...KEYS,
  named: { key: KEYS.p256, kid: 'key-1' },
  public: createPublicKey(rsa),
  short: generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey,
  symmetric: createSecretKey(Buffer.alloc(64, 1)),
  password: 'sesame',
  broken: new Error('the store is broken'),
}

const ENDPOINT = 'https://as.example/oauth2/token'
const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

async function asserted(config: Record<string, JsonValue> = {}, body?: string, headers: Record<string, string> = {}) {
  const clock = manualClock(1_700_000_000_750)
  await using built = await build<Filter>(
    PrivateKeyJwtClientAuthenticationFilter,
    {
      clientId: 'gateway',
      tokenEndpoint: ENDPOINT,
      secretsProvider: { type: 'TestSecrets' },
      signingSecretId: 'rsa',
      ...config,
    },
    { types: [secretsType(SECRETS)], clock, properties: { tenant: 'blue', extra: { a: 1 } } },
  )
  let text = ''
  let names: string[] = []
  const form = { 'content-type': 'application/x-www-form-urlencoded', ...headers }
  const exchange = exchangeFor('POST', ENDPOINT, body === undefined ? {} : { headers: form, body })
  await built.object(exchange, async ({ request }) => {
    text = request.body.text()
    names = request.headers.names().map((name) => name.toLowerCase())
    return respond(200)
  })
  const sent = new URLSearchParams(text)
  const token = parseSignedToken(sent.get('client_assertion') ?? '')
  return { text, sent, names, token, header: token.header.members, claims: readClaims(token.payload) }
}

test('PrivateKeyJwtClientAuthenticationFilter: the fields of the form', async () => {
  const { sent, text } = await asserted({}, 'grant_type=authorization_code&code=a%20b')
  assert.ok(text.startsWith('grant_type=authorization_code&code=a%20b&client_id=gateway&client_assertion_type='))
  assert.deepEqual([...sent.keys()], ['grant_type', 'code', 'client_id', 'client_assertion_type', 'client_assertion'])
  assert.equal(sent.get('client_assertion_type'), TYPE)
})

test('existing fields are replaced, and other client authentication is removed', async () => {
  const body = `client_assertion=x&client_id=evil&grant_type=y&client_assertion_type=z&client%5Fassertion=x`
  const { sent, names } = await asserted({}, body, { authorization: 'Basic eDp5' })
  assert.deepEqual([...sent.keys()], ['grant_type', 'client_id', 'client_assertion_type', 'client_assertion'])
  assert.equal(sent.get('client_id'), 'gateway')
  assert.ok(!names.includes('authorization'))
})

test('a request without content becomes a form', async () => {
  const { sent } = await asserted()
  assert.deepEqual([...sent.keys()], ['client_id', 'client_assertion_type', 'client_assertion'])
})

test('B48: the claims, by default for one minute and for the token endpoint', async () => {
  const { claims, header } = await asserted()
  const { jti, ...others } = claims
  assert.match(jti as string, /^[0-9a-f-]{36}$/)
  assert.deepEqual(others, { iss: 'gateway', sub: 'gateway', aud: ENDPOINT, iat: 1_700_000_000, exp: 1_700_000_060 })
  assert.deepEqual(header, { alg: 'RS256', typ: 'JWT' })
})

test('B48: two requests have two jti, and exp is never later than jwtExpirationTimeout', async () => {
  const first = await asserted({ jwtExpirationTimeout: '90 seconds' })
  const second = await asserted({ jwtExpirationTimeout: '1 second' })
  assert.notEqual(first.claims['jti'], second.claims['jti'])
  assert.equal(first.claims['exp'], 1_700_000_090)
  assert.equal(second.claims['exp'], 1_700_000_001)
})

const suited: readonly [string, keyof typeof KEYS][] = [
  ['RS256', 'rsa'],
  ['RS384', 'rsa'],
  ['RS512', 'rsa'],
  ['PS256', 'rsa'],
  ['PS384', 'rsa'],
  ['PS512', 'rsa'],
  ['ES256', 'p256'],
  ['ES384', 'p384'],
  ['ES512', 'p521'],
  ['EdDSA', 'ed'],
  ['Ed25519', 'ed'],
]

for (const [signingAlgorithm, signingSecretId] of suited) {
  test(`signs by ${signingAlgorithm}`, async () => {
    const { token, header } = await asserted({ signingAlgorithm, signingSecretId })
    assert.equal(header['alg'], signingAlgorithm)
    assert.ok(new SignatureKey(createPublicKey(KEYS[signingSecretId] as KeyObject), null).verifies(token))
  })
}

test('the header has the kid of the key, if any', async () => {
  const { header } = await asserted({ signingAlgorithm: 'ES256', signingSecretId: 'named' })
  assert.equal(header['kid'], 'key-1')
})

test('claims are values or expressions, and follow the standard ones', async () => {
  const { claims } = await asserted({ claims: { tenant: '${tenant}', list: [1, 'x'], n: 7, nested: { a: null } } })
  assert.equal(claims['tenant'], 'blue')
  assert.deepEqual(claims['list'], [1, 'x'])
  assert.equal(claims['n'], 7)
  assert.deepEqual(claims['nested'], { a: null })
  assert.equal(Object.keys(claims)[0], 'iss')
})

test('claims can be an expression that returns a map', async () => {
  assert.equal((await asserted({ claims: '${extra}' })).claims['a'], 1)
})

test('the issuer of the server can be the audience', async () => {
  assert.equal((await asserted({ claims: { aud: 'https://as.example' } })).claims['aud'], 'https://as.example')
})

const unsuited: readonly [string, string, RegExp][] = [
  ['rsa', 'ES256', /"rsa" can not sign by ES256; its key is one for RS256, RS384/],
  ['p256', 'ES384', /"p256" can not sign by ES384; its key is one for ES256$/],
  ['p256', 'RS256', /"p256" can not sign by RS256/],
  ['ed', 'RS256', /"ed" can not sign by RS256; its key is one for EdDSA, Ed25519$/],
  ['symmetric', 'RS256', /"symmetric" can not sign by RS256/],
  ['short', 'RS256', /"short" can not sign: .*2048/],
  ['public', 'RS256', /"public" .*it has no private key/],
  ['password', 'RS256', /"password" .*it is a password, not a key/],
  ['broken', 'RS256', /the store is broken/],
  ['absent', 'RS256', /no secret store knows the secret id "absent"/],
]

for (const [signingSecretId, signingAlgorithm, message] of unsuited) {
  test(`B37: the key ${signingSecretId} with ${signingAlgorithm} fails with the reason, and nothing is sent`, async () => {
    await assert.rejects(asserted({ signingSecretId, signingAlgorithm }), { message })
  })
}

const bad: readonly [string, Record<string, JsonValue>, RegExp][] = [
  [
    'an algorithm of shared secrets',
    { signingAlgorithm: 'HS256' },
    /\/signingAlgorithm: expected one of "RS256", .*, got "HS256"/,
  ],
  ['no algorithm', { signingAlgorithm: 'none' }, /\/signingAlgorithm: expected one of/],
  [
    'a JWT that never ends',
    { jwtExpirationTimeout: 'unlimited' },
    /\/jwtExpirationTimeout: expected a limited duration/,
  ],
  [
    'a JWT that ends at once',
    { jwtExpirationTimeout: '0 seconds' },
    /\/jwtExpirationTimeout: expected a duration of at least 1 second/,
  ],
  ['an endpoint that is no URL', { tokenEndpoint: 'as' }, /\/tokenEndpoint: expected a URL/],
  ['claims that are no map', { claims: ['x'] }, /\/claims: expected an object/],
  [
    'an issuer among the claims',
    { claims: { iss: 'x' } },
    /\/claims\/iss: is written by the gateway itself; remove it/,
  ],
  ['an expiry among the claims', { claims: { exp: 9_999_999_999 } }, /\/claims\/exp: is written by the gateway itself/],
  ['a jti among the claims', { claims: { jti: 'same' } }, /\/claims\/jti: is written by the gateway itself/],
  ['an invalid audience', { claims: { aud: [] } }, /\/claims\/aud: expected a string or an array of strings/],
  ['an empty client id', { clientId: '' }, /\/clientId: expected a string that is not empty/],
]

for (const [what, config, message] of bad) {
  test(`${what} is refused at load`, async () => {
    await assert.rejects(asserted(config), { message })
  })
}

test('clientId, tokenEndpoint, secretsProvider and signingSecretId are required', async () => {
  await assert.rejects(build(PrivateKeyJwtClientAuthenticationFilter, {}), (error: Error) => {
    for (const field of ['clientId', 'tokenEndpoint', 'secretsProvider', 'signingSecretId']) {
      assert.match(error.message, new RegExp(`/heap/0/config/${field}: .*this field is required`))
    }
    return true
  })
})
