// With a real authorization server: test/gateway/dpop-client.test.ts.
import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync } from 'node:crypto'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { EmbeddedJWK, jwtVerify } from 'jose'
import { Secret, SecretStoreKind } from '#contracts'
import { Body, type Exchange, type Filter, type Response, respond } from '#http'
import type { JsonValue } from '#json'
import { defineType } from '#schema'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { DpopClientFilter } from './dpop-client-filter.ts'

const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey

const Keys = defineType({
  name: 'Keys',
  kind: SecretStoreKind,
  summary: 'Knows two keys.',
  config: {},
  create: () => ({
    find: async ({ secretId }) => {
      const key = new Map([
        ['ec', ec],
        ['rsa', rsa],
      ]).get(secretId)
      return key === undefined ? null : [new Secret({ secretId, key })]
    },
    onChange: () => () => {},
  }),
})

const made = (config: Record<string, JsonValue> = {}) =>
  build<Filter>(
    DpopClientFilter,
    { secretsProvider: { type: 'Keys' }, signingSecretId: 'ec', ...config },
    { types: [Keys] },
  )

/** Sends a request through the filter and returns the claims of the proofs that the server received. */
async function sent(filter: Filter, exchange: Exchange, answer: (count: number) => Response = () => respond(200)) {
  const proofs: Record<string, unknown>[] = []
  const authorizations: (string | null)[] = []
  const response = await filter(exchange, async ({ request: { headers } }) => {
    const [proof, ...others] = headers.all('dpop')
    assert.deepEqual(others, [])
    proofs.push((await jwtVerify(proof ?? '', EmbeddedJWK, { typ: 'dpop+jwt' })).payload)
    authorizations.push(headers.get('authorization'))
    return answer(proofs.length)
  })
  return { proofs, authorizations, response }
}

test('a proof has the method, the URI without query, and the digest of the token', async () => {
  await using built = await made()
  const headers = { Authorization: 'bearer t0k', DPoP: 'of the client' }
  const exchange = exchangeFor('GET', 'https://api.example:8443/a/b?c=d', { headers })
  const { proofs, authorizations } = await sent(built.object, exchange)
  const [proof] = proofs
  const ath = createHash('sha256').update('t0k').digest('base64url')
  assert.deepEqual([proof?.['htm'], proof?.['htu'], proof?.['ath']], ['GET', 'https://api.example:8443/a/b', ath])
  assert.ok(Math.abs((proof?.['iat'] as number) - Date.now() / 1_000) < 60)
  assert.deepEqual(authorizations, ['DPoP t0k'])
  assert.equal(exchange.request.headers.get('authorization'), 'bearer t0k')
  const basic = exchangeFor('POST', 'https://as.example/token', { headers: { Authorization: 'Basic eA==' } })
  const token = await sent(built.object, basic)
  assert.deepEqual([token.authorizations, token.proofs[0]?.['ath']], [['Basic eA=='], undefined])
})

test('a request is repeated with the nonce that the server demands, and later requests have it too', async () => {
  await using built = await made()
  const wants = (status: number, nonce: string) => () => respond(status, { 'DPoP-Nonce': nonce })
  const first = await sent(built.object, exchangeFor('GET', 'https://api.example/'), wants(401, 'n1'))
  assert.deepEqual([first.response.status, first.proofs.map(({ nonce }) => nonce)], [401, [undefined, 'n1']])
  const next = await sent(built.object, exchangeFor('GET', 'https://api.example/'), wants(200, 'n2'))
  assert.deepEqual(
    next.proofs.map(({ nonce }) => nonce),
    ['n1'],
  )
  const last = await sent(built.object, exchangeFor('GET', 'https://api.example/'))
  assert.deepEqual(
    last.proofs.map(({ nonce }) => nonce),
    ['n2'],
  )
  const other = await sent(built.object, exchangeFor('GET', 'https://other.example/'))
  assert.deepEqual(
    other.proofs.map(({ nonce }) => nonce),
    [undefined],
  )
})

test('a request with consumed content is not sent again, nor after a malformed nonce', async () => {
  await using built = await made()
  const body = Body.fromStream(Readable.from(['x']))
  const wants = (nonce: string) => () => respond(401, { 'DPoP-Nonce': nonce })
  const streamed = await sent(built.object, exchangeFor('POST', 'https://api.example/', { body }), wants('n1'))
  assert.equal(streamed.proofs.length, 1)
  const odd = await sent(built.object, exchangeFor('GET', 'https://odd.example/'), wants('a b"'))
  assert.equal(odd.proofs.length, 1)
})

test('a missing key, or one that does not suit the algorithm, fails the request: nothing is sent', async () => {
  for (const config of [{ signingSecretId: 'other' }, { signingSecretId: 'rsa' }, { signingAlgorithm: 'RS256' }]) {
    await using built = await made(config)
    await assert.rejects(
      built.object(exchangeFor('GET', 'https://api.example/'), async () => assert.fail('it was sent')),
      /other|can not sign by/,
    )
  }
  await using suited = await made({ signingSecretId: 'rsa', signingAlgorithm: 'PS256' })
  assert.equal((await sent(suited.object, exchangeFor('GET', 'https://api.example/'))).proofs.length, 1)
})
