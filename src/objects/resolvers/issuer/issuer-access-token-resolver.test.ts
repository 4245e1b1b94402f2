import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AccessToken, type AccessTokenResolver, AccessTokenResolverKind, type AmService } from '#contracts'
import type { JsonObject, JsonValue } from '#json'
import { config, defineType, string } from '#schema'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { IssuerAccessTokenResolver } from './issuer-access-token-resolver.ts'

const SERVICE = {} as AmService

/** A resolver that accepts tokens whose signature is its own name, and returns their issuer. */
const Signed = defineType({
  name: 'Signed',
  kind: AccessTokenResolverKind,
  summary: 'Believes tokens by their last part.',
  config: { name: config(string()), says: config(string()).optional(), scheme: config(string()).default('Bearer') },
  create: ({ name, says, scheme }): AccessTokenResolver => ({
    schemes: [scheme as 'Bearer' | 'DPoP'],
    ...(name !== 'b' && { accessManagers: [SERVICE] }),
    resolve: async (token) => {
      if (Buffer.from(token.split('.')[2] ?? '', 'base64url').toString() !== name && token !== 'opaque') {
        return { outcome: 'invalid', description: `not signed by ${name}` }
      }
      const info: JsonObject = { by: name, ...(says !== undefined && { iss: says }) }
      return { outcome: 'valid', accessToken: { token, info, scopes: new Set(), expiresAt: null } }
    },
    admit: (_, { request }) =>
      request.headers.has('deny') ? { outcome: 'invalid', description: `denied by ${name}` } : null,
    watch: (_, revoked) => {
      revoked()
      return () => {}
    },
  }),
})

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const tokenOf = (claims: unknown, by: string) =>
  `${encoded({ alg: 'RS256' })}.${encoded(claims)}.${Buffer.from(by).toString('base64url')}`

const of = (name: string, more: Record<string, JsonValue> = {}) => ({ type: 'Signed', config: { name, ...more } })
const RESOLVERS = {
  'https://a.example': of('a', { says: 'https://a.example' }),
  'https://b.example': of('b', { scheme: 'DPoP' }),
  'https://liar.example': of('liar', { says: 'https://a.example' }),
}

const built = (more: Record<string, JsonValue> = {}) =>
  build<AccessTokenResolver>(IssuerAccessTokenResolver, { resolvers: RESOLVERS, ...more }, { types: [Signed] })

async function resolved(token: string, more: Record<string, JsonValue> = {}): Promise<string> {
  await using resolver = await built(more)
  const resolution = await resolver.object.resolve(token, exchangeFor('GET', 'https://app.example/'))
  return resolution.outcome === 'valid' ? String(resolution.accessToken.info['by']) : resolution.description
}

const UNKNOWN = 'The issuer of the access token is unknown.'

test('the iss claim of a token selects the resolver, which verifies it', async () => {
  assert.equal(await resolved(tokenOf({ iss: 'https://a.example' }, 'a')), 'a')
  assert.equal(await resolved(tokenOf({ iss: 'https://b.example' }, 'b')), 'b')
  assert.equal(await resolved(tokenOf({ iss: 'https://b.example' }, 'a')), 'not signed by b')
})

test('B45: an issuer is compared exactly', async () => {
  const near = [
    'https://a.example/',
    'https://A.example',
    'https://a.exampl',
    'https://a.example.evil',
    '',
    ' https://a.example',
  ]
  for (const iss of near) assert.equal(await resolved(tokenOf({ iss }, 'a')), UNKNOWN, iss)
  for (const iss of [undefined, null, 7, ['https://a.example'], {}]) {
    assert.equal(await resolved(tokenOf({ iss }, 'a')), UNKNOWN, JSON.stringify(iss))
  }
})

test('B40: names of prototypes are no issuers', async () => {
  for (const iss of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    assert.equal(await resolved(tokenOf({ iss }, 'a')), UNKNOWN, iss)
  }
})

test('a result with another issuer rejects the token', async () => {
  assert.equal(await resolved(tokenOf({ iss: 'https://liar.example' }, 'liar')), UNKNOWN)
})

test('tokens that are no signed JWT go to default, and are rejected without one', async () => {
  const encrypted = `${encoded({ alg: 'dir', enc: 'A256GCM' })}..AA.AA.AA`
  for (const token of ['opaque', encrypted, 'a.b']) {
    assert.equal(await resolved(token), UNKNOWN)
  }
  assert.equal(await resolved('opaque', { default: of('rest') }), 'rest')
})

test('a signed token never goes to default', async () => {
  const more = { default: of('rest') }
  assert.equal(await resolved(tokenOf({ iss: 'https://unknown.example' }, 'rest'), more), UNKNOWN)
  assert.equal(await resolved(tokenOf({}, 'rest'), more), UNKNOWN)
  assert.equal(await resolved(`x.y.${Buffer.from('rest').toString('base64url')}`, more), UNKNOWN)
  assert.equal(await resolved(`${encoded({ alg: 'RS256' })}.${encoded([])}.cmVzdA`, more), UNKNOWN)
})

async function admitted(iss: string, headers: Record<string, string>): Promise<string | null> {
  await using resolver = await built()
  const accessToken: AccessToken = {
    token: tokenOf({ iss }, 'x'),
    info: {},
    scopes: new Set(),
    expiresAt: null,
  }
  const refusal = await resolver.object.admit?.(accessToken, exchangeFor('GET', 'https://app.example/', { headers }))
  return refusal?.description ?? null
}

test('admit and scheme of the selected resolver are used', async () => {
  await using resolver = await built()
  assert.deepEqual(resolver.object.schemes, ['Bearer', 'DPoP'])
  assert.equal(await admitted('https://a.example', { authorization: 'Bearer x' }), null)
  assert.equal(await admitted('https://b.example', { authorization: 'DPoP x' }), null)
  const wrong = 'The access token can not be sent by this scheme.'
  assert.equal(await admitted('https://b.example', { authorization: 'Bearer x' }), wrong)
  assert.equal(await admitted('https://a.example', { authorization: 'dpop x' }), wrong)
  assert.equal(await admitted('https://a.example', { authorization: 'Bearer x', deny: '1' }), 'denied by a')
})

test('the access managers of all resolvers limit the time of a token in a cache', async () => {
  await using resolver = await built()
  assert.deepEqual(resolver.object.accessManagers, [SERVICE])
})

test('watches are those of the selected resolver', async () => {
  await using resolver = await built()
  let notified = 0
  const token: AccessToken = {
    token: tokenOf({ iss: 'https://a.example' }, 'a'),
    info: {},
    scopes: new Set(),
    expiresAt: null,
  }
  resolver.object.watch?.(token, () => notified++)()
  assert.equal(notified, 1)
})

for (const [what, resolvers, message] of [
  ['no issuer', {}, /\/resolvers: expected at least one issuer/],
  ['an empty issuer', { '': of('x') }, /\/resolvers: expected issuers that are not empty/],
  ['an invalid resolver', { x: 'missing' }, /\/resolvers\/x: /],
] as const) {
  test(`${what} is refused at load`, async () => {
    await assert.rejects(build(IssuerAccessTokenResolver, { resolvers }, { types: [Signed] }), { message })
  })
}
