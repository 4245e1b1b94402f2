import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import { test } from 'node:test'
import { HandlerKind, type Issuer as IssuerContract } from '#contracts'
import { type Handler, respond } from '#http'
import type { JsonObject, JsonValue } from '#json'
import { defineType } from '#schema'
import { build, manualClock } from '#test/build'
import { httpUpstream } from '#test/upstream'
import { within } from '#test/waiting'
import { ClientHandler } from '../../handlers/reverse-proxy/client-handler.ts'
import { Issuer } from './issuer.ts'

const surroundings = { types: [ClientHandler], heap: [{ name: 'ClientHandler', type: 'ClientHandler' }] }
const made = (config: Record<string, JsonValue>, clock = manualClock()) =>
  build<IssuerContract>(Issuer, config, { ...surroundings, clock })

const METADATA = { issuer: 'https://i', authorization_endpoint: 'https://i/a', token_endpoint: 'https://i/t' }
/** Where the issuer of METADATA is configured, since it is not that of the URL. */
const issuer = METADATA.issuer

test('metadata are fetched on first use, once for concurrent callers, and again after an hour', async () => {
  let asked = 0
  await using server = await httpUpstream((_, response) => {
    asked += 1
    response.end(JSON.stringify({ ...METADATA, round: asked }))
  })
  const clock = manualClock()
  await using built = await made({ wellKnownEndpoint: `${server.url}/meta`, issuer }, clock)
  assert.equal(asked, 0)
  await Promise.all(Array.from({ length: 50 }, () => built.object.metadata()))
  assert.equal(asked, 1)
  clock.advance(61 * 60_000)
  assert.equal((await built.object.metadata())['round'], 2)
})

test('while the server fails, the last metadata are used; after a pause they are fetched again in the background', async () => {
  let status = 200
  let asked = 0
  const askedAgain = Promise.withResolvers<() => void>()
  await using server = await httpUpstream((_, response) => {
    asked += 1
    if (asked === 3) return askedAgain.resolve(() => response.writeHead(500).end())
    response.writeHead(status).end(status === 200 ? JSON.stringify(METADATA) : 'no')
  })
  const clock = manualClock()
  await using built = await made({ wellKnownEndpoint: `${server.url}/meta`, issuer }, clock)
  await built.object.metadata()
  status = 500
  clock.advance(61 * 60_000)
  assert.equal((await built.object.metadata()).issuer, 'https://i')
  assert.equal((await built.object.metadata()).issuer, 'https://i')
  assert.equal(asked, 2)
  clock.advance(2_001)
  assert.equal((await built.object.metadata()).issuer, 'https://i')
  const answer = await within('the second request arrived', askedAgain.promise)
  answer()
})

for (const [name, status, body] of [
  ['another status', 404, '{}'],
  ['a redirect', 302, ''],
  ['no JSON', 200, '<html>'],
  ['a list', 200, '[]'],
  ['no token endpoint', 200, JSON.stringify({ ...METADATA, token_endpoint: undefined })],
  ['an endpoint that is no URL', 200, JSON.stringify({ ...METADATA, token_endpoint: '/t' })],
  [
    'a login page that is a script',
    200,
    JSON.stringify({ ...METADATA, authorization_endpoint: 'javascript:alert(1)' }),
  ],
  ['a logout page that is no URL', 200, JSON.stringify({ ...METADATA, end_session_endpoint: '/logout' })],
  ['more than anybody would send', 200, ' '.repeat(2_000_000)],
] as const) {
  test(`metadata with ${name} fail with a message that names the URL`, async () => {
    await using server = await httpUpstream(
      (_, response) => void response.writeHead(status, { Location: '/x' }).end(body),
    )
    await using built = await made({ wellKnownEndpoint: `${server.url}/meta`, issuer })
    await assert.rejects(built.object.metadata(), /the metadata at http:\/\/127\.0\.0\.1:\d+\/meta can not be read/)
  })
}

test('the configuration takes precedence over the metadata of the server', async () => {
  await using server = await httpUpstream((_, response) => void response.end(JSON.stringify(METADATA)))
  await using built = await made({
    wellKnownEndpoint: `${server.url}/meta`,
    issuer,
    tokenEndpoint: 'https://other/t',
    authorizeEndpoint: 'https://other/a',
  })
  assert.equal((await built.object.metadata())['token_endpoint'], 'https://other/t')
  assert.equal((await built.object.metadata()).issuer, 'https://i')
})

/** An issuer whose metadata at a URL are served without a network. */
async function servedAt(wellKnownEndpoint: string, metadata: JsonObject, config: Record<string, JsonValue> = {}) {
  const Served = defineType({
    name: 'Served',
    kind: HandlerKind,
    summary: 'Metadata of a test.',
    config: {},
    create: (): Handler => async () => respond(200, {}, JSON.stringify(metadata)),
  })
  return build<IssuerContract>(
    Issuer,
    { wellKnownEndpoint, issuerHandler: 'served', ...config },
    {
      types: [Served],
      heap: [{ name: 'served', type: 'Served' }],
      clock: manualClock(),
    },
  )
}

test('metadata of another issuer than that of the URL are refused, unless the issuer is configured', async () => {
  const url = 'https://i/.well-known/openid-configuration'
  await using right = await servedAt(url, METADATA)
  assert.equal((await right.object.metadata()).issuer, 'https://i')
  for (const named of ['https://i.example', 'https://i/tenant', 'http://i', 7, null]) {
    await using wrong = await servedAt(url, { ...METADATA, issuer: named })
    await assert.rejects(wrong.object.metadata(), /"issuer"/, String(named))
  }
  await using configured = await servedAt(url, { ...METADATA, issuer: 'https://i.example' }, { issuer: 'https://sso' })
  assert.equal((await configured.object.metadata()).issuer, 'https://sso')
})

test('endpoints of https metadata are https, unless they are configured', async () => {
  const url = 'https://i/.well-known/openid-configuration'
  for (const name of ['token_endpoint', 'jwks_uri', 'userinfo_endpoint', 'revocation_endpoint']) {
    await using built = await servedAt(url, { ...METADATA, [name]: 'http://i/x' })
    await assert.rejects(built.object.metadata(), new RegExp(`expected "${name}" to be an https URL`))
  }
  const plain = { ...METADATA, token_endpoint: 'http://i/t', device_authorization_endpoint: 'http://i/d' }
  await using configured = await servedAt(url, plain, {
    tokenEndpoint: 'http://10.0.0.1/t',
    authorizeEndpoint: 'https://i/a',
  })
  assert.equal((await configured.object.metadata())['token_endpoint'], 'http://10.0.0.1/t')
  await using local = await servedAt('http://i/.well-known/x', { ...plain, issuer: 'http://i' })
  assert.equal((await local.object.metadata())['token_endpoint'], 'http://i/t')
})

test('ID tokens are verified by the published keys, and by the shared secret for HMAC only', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  await using server = await httpUpstream((request, response) => {
    const keys = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'a' }] }
    response.end(JSON.stringify(request.url === '/jwks' ? keys : { ...METADATA, jwks_uri: `${server.url}/jwks` }))
  })
  await using built = await made({ wellKnownEndpoint: `${server.url}/meta`, issuer })
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const text = `${part({ alg: 'ES256', kid: 'a' })}.${part({ sub: 'demo' })}`
  const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString(
    'base64url',
  )
  assert.equal(await built.object.signatureProblem(`${text}.${signature}`, null), null)
  assert.notEqual(await built.object.signatureProblem(`${text}.${'A'.repeat(86)}`, null), null)
  // B37: a published key is never used as a shared secret, with any algorithm.
  const hmac = `${part({ alg: 'HS256', kid: 'a' })}.${part({ sub: 'demo' })}.${'A'.repeat(43)}`
  assert.notEqual(await built.object.signatureProblem(hmac, null), null)
  assert.notEqual(await built.object.signatureProblem(hmac, Buffer.alloc(32, 'x')), null)
  assert.notEqual(await built.object.signatureProblem(`${part({ alg: 'none' })}.${part({ sub: 'demo' })}.`, null), null)
})

test('snake case names of older files are accepted', async () => {
  await using built = await made({
    authorization_endpoint: 'https://a/',
    token_endpoint: 'https://t/',
    issuer: 'https://i',
  })
  assert.equal((await built.object.metadata())['authorization_endpoint'], 'https://a/')
})

for (const [name, config, message] of [
  ['nothing', {}, /expected wellKnownEndpoint, or authorizeEndpoint and tokenEndpoint/],
  ['half', { authorizeEndpoint: 'https://a/' }, /tokenEndpoint/],
  ['keys without provider', { wellKnownEndpoint: 'https://a/', idTokenVerificationSecretId: 'x' }, /secretsProvider/],
  ['no URL', { wellKnownEndpoint: 'login' }, /URL/],
] as const) {
  test(`refused: ${name}`, async () => {
    await assert.rejects(made(config), (error: Error & { problems?: object[] }) => {
      assert.match(JSON.stringify(error.problems), message)
      return true
    })
  })
}
