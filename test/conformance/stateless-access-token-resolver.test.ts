// The table of the spec under 'KeyStoreSecretStore' on the JWT `kid`, and the threats to tokens,
// through OAuth2ResourceServerFilter, StatelessAccessTokenResolver and a keystore.
import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { describe, test } from 'node:test'
import { providerOf, type Secret, type SecretStore } from '#contracts'
import { type Filter, respond } from '#http'
import { signJwt } from '#jose'
import type { JsonObject } from '#json'
import { build, manualClock } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { Folder } from '#test/folder'
import { keyStoreWith } from '#test/test-identity'
import { keySecret, rawToken } from '#test/token-secrets'
import { OAuth2ResourceServerFilter } from '../../src/objects/filters/oauth2-resource-server/oauth2-resource-server-filter.ts'
import { ClientHandler } from '../../src/objects/handlers/reverse-proxy/client-handler.ts'
import { StatelessAccessTokenResolver } from '../../src/objects/resolvers/stateless/stateless-access-token-resolver.ts'
import { ScheduledExecutorService } from '../../src/objects/services/scheduled-executor/scheduled-executor-service.ts'
import { Base64EncodedSecretStore } from '../../src/objects/stores/base64-encoded/base64-encoded-secret-store.ts'
import { KeyStoreSecretStore } from '../../src/objects/stores/key-store/key-store-secret-store.ts'

const ISSUER = 'https://am.example.com/am/oauth2'
const clock = manualClock(1_794_702_000_000)
const now = clock.now() / 1000
const CLAIMS: JsonObject = { iss: ISSUER, tokenName: 'access_token', scope: 'mail', iat: now, exp: now + 60 }

const folder = new Folder()
writeFileSync(folder.in('keys.p12'), keyStoreWith('first', 'second', 'stranger'))
const STORE = {
  file: folder.in('keys.p12'),
  storePasswordSecretId: 'store.password',
  secretsProvider: 'passwords',
  mappings: [
    { secretId: 'verify', aliases: ['first', 'second'] },
    { secretId: 'all', aliases: ['first', 'second', 'stranger'] },
  ],
}
const types = [
  Base64EncodedSecretStore,
  ClientHandler,
  ScheduledExecutorService,
  KeyStoreSecretStore,
  StatelessAccessTokenResolver,
]
const heap = [
  { name: 'passwords', type: 'Base64EncodedSecretStore', config: { secrets: { 'store.password': btoa('changeit') } } },
  { name: 'ScheduledExecutorService', type: 'ScheduledExecutorService' },
  { name: 'keys', type: 'KeyStoreSecretStore', config: STORE },
  { name: 'ClientHandler', type: 'ClientHandler' },
]

const built = build<Filter>(
  OAuth2ResourceServerFilter,
  {
    requireHttps: false,
    scopes: ['mail'],
    accessTokenResolver: {
      type: 'StatelessAccessTokenResolver',
      config: { issuer: ISSUER, secretsProvider: 'keys', verificationSecretId: 'verify' },
    },
  },
  { clock, types, heap },
)
const store = build<SecretStore>(KeyStoreSecretStore, STORE, { clock, types, heap: heap.slice(0, 2) })

test.after(async () => {
  await (await built)[Symbol.asyncDispose]()
  await (await store)[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

/** Status of the response and error of its challenge. */
async function answer(token: string): Promise<string> {
  const headers = { Authorization: `Bearer ${token}` }
  const exchange = exchangeFor('GET', 'http://app.example.com/', { headers })
  const response = await (await built).object(exchange, async () => respond(200))
  const error = /error="(\w+)"/.exec(response.headers.get('WWW-Authenticate') ?? '')?.[1]
  return error === undefined ? String(response.status) : `${response.status} ${error}`
}

/** The key of an alias. */
async function key(alias: string): Promise<Secret> {
  const provider = providerOf([(await store).object])
  return (await provider.named({ secretId: 'all', stableId: alias, purpose: 'SIGN' })) as Secret
}

/** A token signed by the key of one alias, with the `kid` of another or none. */
async function token(alias: string, kid: string | null, claims = CLAIMS): Promise<string> {
  const { privateOrSecretKey } = await key(alias)
  return signJwt(keySecret(privateOrSecretKey as KeyObject, kid), claims, { algorithm: 'ES256' })
}

const INVALID = '401 invalid_token'

describe('JWT kid', () => {
  test('maps to an alias of the verification secret ID: the named secret is used', async () => {
    assert.equal(await answer(await token('first', 'first')), '200')
    assert.equal(await answer(await token('second', 'second')), '200')
  })

  test('maps to an alias of the verification secret ID: if the signature fails with it, the token is invalid', async () => {
    assert.equal(await answer(await token('second', 'first')), INVALID)
    assert.equal(await answer(await token('stranger', 'first')), INVALID)
  })

  test('present but not mapped: resolution proceeds as if there were no kid', async () => {
    assert.equal(await answer(await token('second', 'unheard-of')), '200')
    assert.equal(await answer(await token('stranger', 'stranger')), INVALID)
  })

  test('absent: all secrets mapped to the verification secret ID are tried; if none verifies, the token is invalid', async () => {
    assert.equal(await answer(await token('first', null)), '200')
    assert.equal(await answer(await token('second', null)), '200')
    assert.equal(await answer(await token('stranger', null)), INVALID)
  })
})

describe('threats', () => {
  const pair = (privateKey: KeyObject) => (text: string) =>
    sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' })

  test('B37: the algorithm comes from the key', async () => {
    const { publicOrSecretKey } = await key('first')
    const pem = (publicOrSecretKey as KeyObject).export({ type: 'spki', format: 'pem' })
    const hmac = (text: string) => createHmac('sha256', pem).update(text).digest()
    for (const alg of ['none', 'NONE', ' none', 'HS256', ' HS256', 'RS256', 'ES384', 'ES256K', 'es256']) {
      assert.equal(await answer(rawToken({ alg, kid: 'first' }, CLAIMS, hmac)), INVALID, alg)
      assert.equal(await answer(rawToken({ alg }, CLAIMS)), INVALID, alg)
    }
  })

  test('B38: crit and b64 are rejected although the signature is valid', async () => {
    const { privateOrSecretKey } = await key('first')
    for (const more of [{ crit: ['exp'] }, { crit: ['b64'], b64: false }, { b64: false }]) {
      const header = { alg: 'ES256', kid: 'first', ...more }
      assert.equal(await answer(rawToken(header, CLAIMS, pair(privateOrSecretKey as KeyObject))), INVALID)
    }
  })

  test('B39: jku, x5u, jwk and x5c are not used, and no socket is opened', async () => {
    await using server = await listening()
    const own = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const jwk = own.publicKey.export({ format: 'jwk' })
    for (const more of [
      { jku: server.url },
      { x5u: server.url },
      { jwk },
      { x5c: ['MIIB'] },
      { jku: server.url, jwk },
    ]) {
      const header = { alg: 'ES256', ...more }
      assert.equal(await answer(rawToken(header, CLAIMS, pair(own.privateKey))), INVALID)
    }
    assert.equal(server.connections(), 0)
  })

  test('B40: kid as a path, as __proto__ and as an expression', async () => {
    for (const kid of ['../../etc/passwd', '__proto__', 'constructor', 'first\u0000', '${env.HOME}']) {
      assert.equal(await answer(await token('second', kid)), '200', kid)
      assert.equal(await answer(await token('stranger', kid)), INVALID, kid)
    }
  })

  test('B41: signatures of zeros', async () => {
    for (const bytes of [0, 32, 64, 128]) {
      assert.equal(await answer(rawToken({ alg: 'ES256' }, CLAIMS, () => Buffer.alloc(bytes))), INVALID)
    }
  })

  test('B42: compressed tokens and password-based keys with excessive iterations', async () => {
    const headers = [
      { alg: 'dir', enc: 'A256GCM', zip: 'DEF' },
      { alg: 'PBES2-HS256+A128KW', enc: 'A256GCM', p2c: 2 ** 31, p2s: 'AAAA' },
    ]
    for (const header of headers) assert.equal(await answer(`${rawToken(header, 'x')}.AAAA.AAAA`), INVALID)
  })

  test('B45: another issuer, also a similar one', async () => {
    for (const iss of [`${ISSUER}/`, ISSUER.toUpperCase(), `${ISSUER}2`, ISSUER.slice(1), '', null]) {
      assert.equal(await answer(await token('first', 'first', { ...CLAIMS, iss })), INVALID)
    }
  })

  test('B46: invalid times; a clock that jumps back does not make expired tokens valid permanently', async () => {
    for (const exp of [now, now - 1, String(now + 60), -1, null, 1e30, [now + 60]]) {
      assert.equal(await answer(await token('first', 'first', { ...CLAIMS, exp })), INVALID, String(exp))
    }
    const short = await token('first', 'first', { ...CLAIMS, iat: now - 7200, exp: now + 1 })
    assert.equal(await answer(short), '200')
    clock.advance(1_000)
    assert.equal(await answer(short), INVALID)
    clock.advance(-3_600_000)
    assert.equal(await answer(short), '200')
    clock.advance(3_600_000)
    assert.equal(await answer(short), INVALID)
    clock.advance(-1_000)
  })
})

/** A server that only counts connections. */
async function listening() {
  let connections = 0
  const server = createServer()
  server.on('connection', () => {
    connections++
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}/keys`,
    connections: () => connections,
    [Symbol.asyncDispose]: async () => void server.close(),
  }
}
