// The tables of the spec under 'PrivateKeyJwtClientAuthenticationFilter' and 'Outgoing token request', row by row.
import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { describe, test } from 'node:test'
import { type JWTVerifyResult, jwtVerify } from 'jose'
import type { Filter, Handler } from '#http'
import type { JsonValue } from '#json'
import { build } from '#test/build'
import { type ChangingSecrets, secretsType } from '#test/changing-secrets'
import { exchangeFor } from '#test/exchange'
import { type TokenRequest, tokenEndpoint } from '#test/token-endpoint'
import { PrivateKeyJwtClientAuthenticationFilter } from '../../src/objects/filters/private-key-jwt-client-authentication/private-key-jwt-client-authentication-filter.ts'
import { ClientHandler } from '../../src/objects/handlers/reverse-proxy/client-handler.ts'

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).privateKey
const KEYS: Readonly<Record<string, KeyObject>> = {
  RS256: rsa,
  ES256: ec('P-256'),
  ES384: ec('P-384'),
  ES512: ec('P-521'),
}
const SECRETS: ChangingSecrets = { ...KEYS, password: 'sesame' }

const types = [ClientHandler, secretsType(SECRETS)]

/** Sends a token request through the filter to a real server, and returns the received request and the claims of its assertion. */
async function arrived(config: Record<string, JsonValue> = {}, verifyWith = 'RS256') {
  await using endpoint = await tokenEndpoint(() => ({ json: {} }))
  await using filter = await build<Filter>(
    PrivateKeyJwtClientAuthenticationFilter,
    {
      clientId: 'my-client',
      tokenEndpoint: endpoint.url,
      secretsProvider: { type: 'TestSecrets' },
      signingSecretId: 'RS256',
      ...config,
    },
    { types, env: { CLAIM: 'from the environment' }, properties: { more: { mapped: 'y' } } },
  )
  await using handler = await build<Handler>(ClientHandler, {}, { types })
  const exchange = exchangeFor('POST', endpoint.url, {
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=authorization_code&code=the-code',
  })
  const response = await filter.object(exchange, handler.object)
  assert.equal(response.status, 200)
  await response.body.read(1_000)
  const tokenRequest = endpoint.requests[0] as TokenRequest
  const assertion = tokenRequest.form.get('client_assertion') ?? ''
  const verified: JWTVerifyResult = await jwtVerify(assertion, createPublicKey(KEYS[verifyWith] as KeyObject))
  return { tokenRequest, claims: verified.payload, header: verified.protectedHeader, url: endpoint.url }
}

describe('Outgoing token request', () => {
  test('POST to the token endpoint with the form fields of the table', async () => {
    const { tokenRequest } = await arrived()
    assert.equal(tokenRequest.method, 'POST')
    assert.equal(tokenRequest.path, '/oauth2/token')
    assert.equal(tokenRequest.headers['content-type'], 'application/x-www-form-urlencoded')
    const { client_assertion: assertion, ...others } = Object.fromEntries(tokenRequest.form)
    assert.deepEqual(others, {
      grant_type: 'authorization_code',
      code: 'the-code',
      client_id: 'my-client',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    })
    assert.equal(assertion?.split('.').length, 3, 'a signed JWT that is not encrypted')
  })
})

describe('PrivateKeyJwtClientAuthenticationFilter', () => {
  test('clientId: the client_id obtained at registration', async () => {
    const { tokenRequest, claims } = await arrived({ clientId: 'other-client' })
    assert.equal(tokenRequest.form.get('client_id'), 'other-client')
    assert.deepEqual([claims.iss, claims.sub], ['other-client', 'other-client'])
  })

  test('B48: tokenEndpoint: the audience; jti: fresh', async () => {
    const [first, second] = [await arrived(), await arrived()]
    assert.equal(first.claims.aud, first.url)
    assert.notEqual(first.claims.jti, second.claims.jti)
  })

  test('signingSecretId: it must point to a CryptoKey', async () => {
    await assert.rejects(arrived({ signingSecretId: 'password' }), { message: /it is a password, not a key/ })
  })

  test('signingAlgorithm: RS256 by default', async () => {
    assert.equal((await arrived()).header.alg, 'RS256')
  })

  for (const algorithm of ['ES256', 'ES384', 'ES512']) {
    test(`signingAlgorithm: ${algorithm}`, async () => {
      const { header } = await arrived({ signingAlgorithm: algorithm, signingSecretId: algorithm }, algorithm)
      assert.equal(header.alg, algorithm)
    })
  }

  test('B48: jwtExpirationTimeout: one minute by default', async () => {
    const { claims } = await arrived()
    const life = (claims.exp as number) - (claims.iat as number)
    assert.ok(life === 60 || life === 61, `${life}`)
    assert.ok((claims.exp as number) * 1_000 <= Date.now() + 60_000)
  })

  test('jwtExpirationTimeout: as configured', async () => {
    const { claims } = await arrived({ jwtExpirationTimeout: '5 minutes' })
    assert.ok((claims.exp as number) * 1_000 > Date.now() + 240_000)
  })

  test('claims: empty by default', async () => {
    assert.deepEqual(Object.keys((await arrived()).claims).sort(), ['aud', 'exp', 'iat', 'iss', 'jti', 'sub'])
  })

  test('claims: values or expressions for them, or an expression for the map', async () => {
    const { claims } = await arrived({ claims: { plain: 'x', computed: '${env.CLAIM}' } })
    assert.deepEqual([claims['plain'], claims['computed']], ['x', 'from the environment'])
    assert.equal((await arrived({ claims: '${more}' })).claims['mapped'], 'y')
  })

  for (const field of ['clientId', 'tokenEndpoint', 'secretsProvider', 'signingSecretId']) {
    test(`${field}: required`, async () => {
      await assert.rejects(build(PrivateKeyJwtClientAuthenticationFilter, {}), {
        message: new RegExp(`/heap/0/config/${field}: .*this field is required`),
      })
    })
  }
})
