import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccessTokenResolver } from '#contracts'
import type { JsonObject } from '#json'
import { build, manualClock } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { answerJson, introspectionServer } from '#test/introspection-server'
import { ClientHandler } from '../../handlers/reverse-proxy/client-handler.ts'
import { OpenAmAccessTokenResolver } from './open-am-access-token-resolver.ts'

const clock = manualClock()

async function resolverAt(path = '/oauth2/tokeninfo', config: JsonObject = {}) {
  const server = await introspectionServer()
  const built = await build<AccessTokenResolver>(
    OpenAmAccessTokenResolver,
    { endpoint: server.url + path, ...config },
    { clock, types: [ClientHandler], heap: [{ name: 'ForgeRockClientHandler', type: 'ClientHandler' }] },
  )
  return {
    server,
    built,
    resolve: (token = 'token') =>
      Promise.resolve(built.object.resolve(token, exchangeFor('GET', 'https://app.example/'))),
    async [Symbol.asyncDispose]() {
      await built[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

const GOOD: JsonObject = {
  access_token: 'token',
  expires_in: 60,
  scope: ['mail'],
  realm: '/',
  mail: 'demo@example.com',
}

test('sends the token in the query, after existing parameters', async () => {
  await using plain = await resolverAt()
  await plain.resolve('a+b/c=')
  assert.equal(plain.server.requests[0]?.method, 'GET')
  assert.equal(plain.server.requests[0]?.target, '/oauth2/tokeninfo?access_token=a%2Bb%2Fc%3D')
  await using realm = await resolverAt('/oauth2/tokeninfo?realm=/alpha')
  await realm.resolve()
  assert.equal(realm.server.requests[0]?.target, '/oauth2/tokeninfo?realm=/alpha&access_token=token')
})

test('returns the data of a valid token', async () => {
  await using at = await resolverAt()
  at.server.tokens.set('token', GOOD)
  assert.deepEqual(await at.resolve(), {
    outcome: 'valid',
    accessToken: { token: 'token', info: GOOD, scopes: new Set(['mail']), expiresAt: clock.now() + 60_000 },
  })
})

const outcomes: readonly [string, number, unknown, string][] = [
  ['401 invalid_token', 401, { error: 'invalid_token' }, 'invalid'],
  ['400 invalid_token', 400, { error: 'invalid_token' }, 'invalid'],
  ['400 invalid_request', 400, { error: 'invalid_request' }, 'bad_request'],
  ['401 without a word', 401, '', 'bad_request'],
  ['500', 500, GOOD, 'unavailable'],
  ['B62: 302', 302, GOOD, 'unavailable'],
  ['B62: an empty object', 200, {}, 'unavailable'],
  ['B62: a text', 200, 'good', 'unavailable'],
  ['the answer for another token', 200, { ...GOOD, access_token: 'other' }, 'unavailable'],
  ['no access_token', 200, { ...GOOD, access_token: null }, 'unavailable'],
  ['no expires_in', 200, { ...GOOD, expires_in: null }, 'unavailable'],
  ['expires_in as a text', 200, { ...GOOD, expires_in: '60' }, 'unavailable'],
  ['scopes as a text', 200, { ...GOOD, scope: 'mail' }, 'valid'],
  ['scopes as a number', 200, { ...GOOD, scope: 1 }, 'unavailable'],
  ['scopes that are none', 200, { ...GOOD, scope: [1] }, 'unavailable'],
  ['a refresh token', 200, { ...GOOD, tokenName: 'refresh_token' }, 'invalid'],
  ['an ID token', 200, { ...GOOD, tokenName: 'id_token' }, 'invalid'],
  ['nbf ahead', 200, { ...GOOD, nbf: clock.now() / 1_000 + 60 }, 'invalid'],
  ['expires_in that is over', 200, { ...GOOD, expires_in: 0 }, 'invalid'],
]

for (const [name, status, content, outcome] of outcomes) {
  test(`${name}: ${outcome}`, async () => {
    await using at = await resolverAt()
    at.server.answer = (response) => answerJson(response, status, content)
    assert.equal((await at.resolve()).outcome, outcome)
  })
}

test('F11: a server that closes the connection: unavailable, and the token in the query is not logged', async () => {
  await using at = await resolverAt()
  at.server.answer = (response) => void response.destroy()
  assert.equal((await at.resolve('very-secret-token')).outcome, 'unavailable')
  assert.match(at.built.log.lines.join(''), /its response is unusable/)
  assert.doesNotMatch(at.built.log.lines.join(''), /very-secret-token/)
})

test('its use gives a warning', async () => {
  await using at = await resolverAt()
  assert.match(at.built.warnings.join(), /use TokenIntrospectionAccessTokenResolver instead/)
})

test('invalid values are reported with their pointer', async () => {
  await assert.rejects(
    build(OpenAmAccessTokenResolver, {}),
    /\/heap\/0\/config: give at least one of amService, endpoint/,
  )
})

test('a token of another realm than that of the endpoint is not accepted', async () => {
  const outcomes = async (path: string, sharedRealms: string[] = []) => {
    await using at = await resolverAt(path, { sharedRealms })
    const found: string[] = []
    for (const realm of ['/', '/alpha', '/alpha/beta', undefined]) {
      at.server.tokens.set('token', { ...GOOD, realm: realm as string })
      if ((await at.resolve()).outcome === 'valid') found.push(String(realm))
    }
    return found.join()
  }
  assert.equal(await outcomes('/oauth2/tokeninfo'), '/,undefined')
  assert.equal(await outcomes('/am/oauth2/realms/root/tokeninfo'), '/,undefined')
  assert.equal(await outcomes('/oauth2/realms/root/realms/Alpha/tokeninfo'), '/alpha,undefined')
  assert.equal(await outcomes('/oauth2/realms/root/realms/alpha/realms/beta/tokeninfo'), '/alpha/beta,undefined')
  assert.equal(await outcomes('/oauth2/alpha/beta/tokeninfo'), '/alpha/beta,undefined')
  assert.equal(await outcomes('/oauth2/tokeninfo?realm=/alpha'), '/alpha,undefined')
  assert.equal(await outcomes('/oauth2/tokeninfo', ['/alpha']), '/,/alpha,undefined')
  assert.equal(await outcomes('/oauth2/tokeninfo', ['*']), '/,/alpha,/alpha/beta,undefined')
  assert.equal(await outcomes('/a/server/of/another/kind'), '/,/alpha,/alpha/beta,undefined')
})

test('a signed token: scopes are one text, and exp is used, since expires_in is in milliseconds', async () => {
  await using at = await resolverAt()
  const exp = Math.floor(clock.now() / 1_000) + 3_600
  at.server.tokens.set('token', { ...GOOD, scope: 'mail profile', expires_in: 3_600_000, exp })
  const resolution = await at.resolve()
  assert.equal(resolution.outcome, 'valid')
  if (resolution.outcome !== 'valid') return
  assert.deepEqual([...resolution.accessToken.scopes], ['mail', 'profile'])
  assert.equal(resolution.accessToken.expiresAt, exp * 1_000)
})
