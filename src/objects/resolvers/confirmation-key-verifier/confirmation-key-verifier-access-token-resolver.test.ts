import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import {
  type AccessToken,
  type AccessTokenResolver,
  AccessTokenResolverKind,
  CertificateThumbprintContext,
  type TokenRejection,
} from '#contracts'
import { Certificate } from '#expression'
import type { JsonObject, JsonValue } from '#json'
import { defineType } from '#schema'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { testIdentity } from '#test/test-identity'
import { ConfirmationKeyVerifierAccessTokenResolver } from './confirmation-key-verifier-access-token-resolver.ts'

const { certificate } = testIdentity('client')
const thumbprint = createHash('sha256').update(certificate.raw).digest('base64url')
const other = createHash('sha256').update('other').digest('base64url')

const watched: string[] = []

const Inner = defineType({
  name: 'Inner',
  kind: AccessTokenResolverKind,
  summary: 'Knows every token, and admits all but one.',
  config: {},
  create: (): AccessTokenResolver => ({
    schemes: ['DPoP'],
    resolve: (token) => ({ outcome: 'valid', accessToken: tokenWith({}, token) }),
    admit: ({ token }) => (token === 'unwanted' ? { outcome: 'invalid', description: 'unwanted' } : null),
    watch: ({ token }) => {
      watched.push(token)
      return () => {}
    },
  }),
})

const tokenWith = (info: JsonObject, token = 't'): AccessToken => ({ token, info, scopes: new Set(), expiresAt: null })

const built = (config: Record<string, JsonValue> = {}) =>
  build<AccessTokenResolver>(
    ConfirmationKeyVerifierAccessTokenResolver,
    { delegate: { type: 'Inner' }, ...config },
    { types: [Inner] },
  )

interface From {
  readonly tls?: boolean
  readonly context?: string
}

async function admit(info: JsonObject, from: From, config: Record<string, JsonValue> = {}, token = 't') {
  await using resolver = await built(config)
  const certificates = from.tls === true ? [new Certificate(certificate)] : []
  const plain = exchangeFor('GET', 'https://app.example/', { client: { certificates, secure: true } })
  const exchange =
    from.context === undefined ? plain : plain.with(CertificateThumbprintContext, { thumbprint: from.context })
  const refusal: TokenRejection | null = (await resolver.object.admit?.(tokenWith(info, token), exchange)) ?? null
  return refusal === null ? 'admitted' : `${refusal.outcome}: ${refusal.description}`
}

const bound = { cnf: { 'x5t#S256': thumbprint } }

test('RFC 8705: a token is admitted with the certificate it is bound to', async () => {
  assert.equal(await admit(bound, { tls: true }), 'admitted')
  assert.equal(await admit(bound, { context: thumbprint }), 'admitted')
})

test('the thumbprint of a filter takes precedence over that of the connection', async () => {
  assert.equal(
    await admit(bound, { tls: true, context: other }),
    'invalid: The access token is bound to another certificate.',
  )
})

test('without a certificate, or with another, a bound token is rejected', async () => {
  const none = 'invalid: The access token is bound to a certificate, and the client sent none.'
  assert.equal(await admit(bound, {}), none)
  assert.equal(await admit(bound, {}, { allowUnboundTokens: true }), none)
  const another = 'invalid: The access token is bound to another certificate.'
  assert.equal(await admit({ cnf: { 'x5t#S256': other } }, { tls: true }), another)
  for (const near of [thumbprint.slice(1), `${thumbprint}=`, thumbprint.toUpperCase(), ` ${thumbprint}`]) {
    assert.equal(await admit({ cnf: { 'x5t#S256': near } }, { tls: true }), another)
  }
})

test('an unbound token is rejected unless allowUnboundTokens is set', async () => {
  for (const info of [{}, { cnf: null }]) {
    assert.equal(await admit(info, { tls: true }), 'invalid: The access token is bound to no certificate.')
    assert.equal(await admit(info, {}, { allowUnboundTokens: true }), 'admitted')
  }
})

for (const cnf of [{}, { jkt: 'x' }, { 'x5t#S256': 7 }, { 'x5t#S256': '' }, 'x', [], true, 0]) {
  test(`a token with the confirmation ${JSON.stringify(cnf)} is rejected, also with allowUnboundTokens`, async () => {
    const refused = 'invalid: The access token is bound to something that can not be verified here.'
    assert.equal(await admit({ cnf } as JsonObject, { tls: true }, { allowUnboundTokens: true }), refused)
  })
}

test('admit of the delegate is called too', async () => {
  assert.equal(await admit(bound, { tls: true }, {}, 'unwanted'), 'invalid: unwanted')
})

test('schemes, resolutions and watches are those of the delegate', async () => {
  await using resolver = await built()
  assert.deepEqual(resolver.object.schemes, ['DPoP'])
  const exchange = exchangeFor('GET', 'https://app.example/')
  assert.equal((await resolver.object.resolve('t', exchange)).outcome, 'valid', 'a cache may keep it for all clients')
  resolver.object.watch?.(tokenWith({}), () => {})
  assert.deepEqual(watched, ['t'])
})

test('delegate is required', async () => {
  await assert.rejects(build(ConfirmationKeyVerifierAccessTokenResolver, {}), {
    message: /\/heap\/0\/config\/delegate: .*this field is required/,
  })
})
