// The tables of the spec under 'OAuth2ResourceServerFilter' (fields), 'Bearer access tokens' and 'Errors', with an
// authorization server over HTTP. The `cache` fields are in token-cache.test.ts.
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { describe, test } from 'node:test'
import { OAuth2Context, ResourceAccessKind } from '#contracts'
import type { Exchange } from '#http'
import type { JsonObject } from '#json'
import { defineType } from '#schema'
import { exchangeFor } from '#test/exchange'
import { answerJson, introspectionServer } from '#test/introspection-server'
import { protectedResource } from '#test/protected-resource'
import { TimerDecorator } from '../../src/objects/decorators/timer/timer-decorator.ts'
import { OAuth2ResourceServerFilter } from '../../src/objects/filters/oauth2-resource-server/oauth2-resource-server-filter.ts'

/** Requires the scope named by the request path. */
const PathAccess = defineType({
  name: 'PathAccess',
  kind: ResourceAccessKind,
  summary: 'Wants the scope that the path names.',
  config: {},
  create: () => ({ requiredScopes: async ({ request }: Exchange) => new Set([request.uri.rawPath.slice(1)]) }),
})

const INFO: JsonObject = { active: true, scope: 'read mail', sub: 'demo', exp: Math.floor(Date.now() / 1_000) + 3_600 }

/** A protected resource whose authorization server has issued the token `good`. */
async function resourceWith(config: JsonObject = {}, decorations: JsonObject = {}) {
  const server = await introspectionServer()
  server.tokens.set('good', INFO)
  const resource = await protectedResource(
    {
      scopes: ['read'],
      accessTokenResolver: {
        type: 'TokenIntrospectionAccessTokenResolver',
        config: { endpoint: server.endpoint },
        ...decorations,
      },
      ...config,
    },
    [
      { name: 'timer', type: 'TimerDecorator' },
      { name: 'access', type: 'PathAccess' },
    ],
    [TimerDecorator, PathAccess],
  ).catch(async (error: unknown) => {
    await server[Symbol.asyncDispose]()
    throw error
  })
  return Object.assign(Object.create(resource) as typeof resource, {
    server,
    async [Symbol.asyncDispose]() {
      await resource[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  })
}

const GOOD = 'Bearer good'

describe('OAuth2ResourceServerFilter: fields', () => {
  test('type: OAuth2RSFilter is the alternative value', () => {
    assert.deepEqual(OAuth2ResourceServerFilter.aliases, ['OAuth2RSFilter'])
  })

  test('accessTokenResolver: required', async () => {
    await assert.rejects(resourceWith({ accessTokenResolver: null }), /\/config\/accessTokenResolver: .*required/)
  })

  test('accessTokenResolver: can be decorated at this level, with timer: true beside type and config', async () => {
    await using at = await resourceWith({}, { timer: true })
    assert.equal((await at.ask(GOOD)).status, 200)
    const entry = at.built.log.entries.find(({ message }) => message === 'timer')
    assert.equal(entry?.['outcome'], 'valid')
    assert.deepEqual(Object.keys(entry?.['elapsed'] as object), ['total'])
  })

  test('executor: ScheduledExecutorService by default', () => {
    const { members = {} } = OAuth2ResourceServerFilter.config.info.shape
    assert.equal(members['executor']!.info.defaultValue, 'ScheduledExecutorService')
  })

  test('requireHttps: true by default; a request whose original target URI does not use HTTPS is rejected', async () => {
    await using at = await resourceWith()
    assert.equal((await at.ask(GOOD, 'http://app.example/')).status, 403)
    assert.deepEqual(at.server.asked, [])
    const rewritten = exchangeFor('GET', 'http://app.example/', { headers: { Authorization: GOOD } })
    rewritten.request.uri.scheme = 'https'
    assert.equal((await at.built.object(rewritten, () => assert.fail('it passed'))).status, 403)
    await using off = await resourceWith({ requireHttps: '${1 == 2}' })
    assert.equal((await off.ask(GOOD, 'http://app.example/')).status, 200)
  })

  test('realm: in the WWW-Authenticate header of a 401; IdentityGateway by default', async () => {
    await using at = await resourceWith()
    assert.deepEqual((await at.ask(null)).challenges, ['Bearer realm="IdentityGateway"'])
    await using named = await resourceWith({ realm: "my ${'realm'}" })
    assert.deepEqual((await named.ask(null)).challenges, ['Bearer realm="my realm"'])
  })

  test('scopes: required', async () => {
    await assert.rejects(resourceWith({ scopes: null }), /\/config\/scopes: .*required/)
  })

  test('scopes: elements may be a string, an array of strings, or runtime expressions', async () => {
    const elements = [
      'read',
      ['read', 'mail'],
      "${request.method == 'GET' ? 'read' : 'write'}",
      "${split('read,mail', ',')}",
    ]
    for (const element of elements) {
      await using at = await resourceWith({ scopes: [element] })
      assert.equal((await at.ask(GOOD)).status, 200)
      await using more = await resourceWith({ scopes: [element, 'admin'] })
      assert.equal((await more.ask(GOOD)).status, 403)
    }
  })

  test('scopes: or a ScriptableResourceAccess reference, evaluated per request', async () => {
    await using at = await resourceWith({ scopes: 'access' })
    assert.equal((await at.ask(GOOD, 'https://app.example/mail')).status, 200)
    assert.equal((await at.ask(GOOD, 'https://app.example/admin')).status, 403)
  })
})

describe('Bearer access tokens', () => {
  test('1. the client sends Authorization: Bearer <ACCESS_TOKEN>', async () => {
    await using at = await resourceWith()
    assert.equal((await at.ask(GOOD)).status, 200)
    assert.deepEqual(at.server.asked, ['good'])
  })

  test('2. the token info is in the OAuth2Context', async () => {
    await using at = await resourceWith()
    await at.ask(GOOD)
    const { info, token, scopes, expiresAt } = at.passed!.context(OAuth2Context)!.accessToken
    assert.deepEqual(info, INFO)
    assert.deepEqual([token, [...scopes], expiresAt], ['good', ['read', 'mail'], (INFO['exp'] as number) * 1_000])
  })

  test('4. a non-HTTPS request is rejected', async () => {
    await using at = await resourceWith()
    assert.equal((await at.ask(GOOD, 'http://app.example/')).status, 403)
  })
})

describe('Errors: OAuth2ResourceServerFilter', () => {
  test('filter configuration and token produce an invalid request to the authorization server: 400', async () => {
    await using at = await resourceWith()
    for (const [status, error] of [
      [400, 'invalid_request'],
      [404, 'not_found'],
    ] as const) {
      at.server.answer = (response) => answerJson(response, status, { error })
      const seen = await at.ask(GOOD)
      assert.deepEqual([seen.status, seen.cacheControl], [400, 'no-store'])
      assert.match(seen.challenges[0] as string, /^Bearer realm="IdentityGateway", error="invalid_request"/)
    }
  })

  test('the authorization server rejects the credentials of the gateway: 503 (decisions 13)', async () => {
    await using at = await resourceWith()
    for (const [status, error] of [
      [400, 'invalid_client'],
      [401, 'invalid_client'],
      [403, 'access_denied'],
    ] as const) {
      at.server.answer = (response) => answerJson(response, status, { error })
      const seen = await at.ask(GOOD)
      assert.deepEqual([seen.status, seen.retryAfter, seen.challenges], [503, '5', []])
    }
  })

  test('no access token in the request header: 401 with WWW-Authenticate: Bearer realm=<realm>', async () => {
    await using at = await resourceWith()
    const url = 'https://app.example/?access_token=good'
    for (const authorization of [null, 'Basic Z29vZA==', 'Bearer', 'Token good']) {
      const seen = await at.ask(authorization, url)
      assert.deepEqual(
        [seen.status, seen.challenges, seen.cacheControl],
        [401, ['Bearer realm="IdentityGateway"'], 'no-store'],
      )
    }
    assert.deepEqual(at.server.asked, [])
  })

  test('the access token is not valid (for example expired): 401 with error="invalid_token"', async () => {
    await using at = await resourceWith()
    at.server.tokens.set('old', { active: true, scope: 'read', exp: 1 })
    for (const token of ['unknown', 'old']) {
      const seen = await at.ask(`Bearer ${token}`)
      assert.deepEqual([seen.status, seen.cacheControl], [401, 'no-store'])
      assert.match(seen.challenges[0] as string, /error="invalid_token", error_description="The access token /)
    }
  })

  test('the token lacks any of the required scopes: 403 with error="insufficient_scope" and the scopes', async () => {
    await using at = await resourceWith({ scopes: ['read', 'admin'] })
    const seen = await at.ask(GOOD)
    assert.deepEqual([seen.status, seen.cacheControl], [403, 'no-store'])
    assert.match(seen.challenges[0] as string, /error="insufficient_scope".*, scope="read admin"$/)
    assert.equal(at.passed, null)
  })

  test('the request does not use HTTPS while requireHttps is true: 403 with the reason in the body', async () => {
    await using at = await resourceWith()
    const seen = await at.ask(GOOD, 'http://app.example/')
    assert.deepEqual([seen.status, seen.text], [403, 'This resource is served over HTTPS only.'])
  })

  test('decisions: authorization server unreachable or 5xx: 503 with Retry-After, never 401 or 403', async () => {
    await using at = await resourceWith()
    const faults: ((response: ServerResponse) => void)[] = [
      (response) => void response.destroy(),
      ...[500, 502, 503, 504].map((status) => (response: ServerResponse) => void response.writeHead(status).end()),
      (response) => void response.end('<html>'),
      (response) => void response.end(),
    ]
    for (const fault of faults) {
      at.server.answer = fault
      const seen = await at.ask(GOOD)
      assert.deepEqual([seen.status, seen.retryAfter, seen.challenges], [503, '5', []])
    }
    at.server.answer = null
    assert.equal((await at.ask(GOOD)).status, 200)
  })

  test('field-notes: more than one Authorization header: 400 invalid_request', async () => {
    await using at = await resourceWith()
    const seen = await at.ask([GOOD, GOOD])
    assert.equal(seen.status, 400)
    assert.match(seen.challenges[0] as string, /error="invalid_request"/)
    assert.deepEqual(at.server.asked, [])
  })

  test('field-notes: a scope expression that is null is an internal error (500)', async () => {
    await using at = await resourceWith({ scopes: ["${request.headers['none'][0]}"] })
    await assert.rejects(at.ask(GOOD))
  })
})

test('B63: rejections are not cacheable', async () => {
  await using at = await resourceWith({ scopes: ['admin'] })
  const refusals = [await at.ask(null), await at.ask(GOOD), await at.ask('Bearer bad'), await at.ask([GOOD, GOOD])]
  refusals.push(await at.ask(GOOD, 'http://app.example/'))
  at.server.answer = (response) => void response.destroy()
  refusals.push(await at.ask(GOOD))
  assert.deepEqual(
    refusals.map(({ status, cacheControl }) => `${status} ${cacheControl}`),
    [401, 403, 401, 400, 403, 503].map((status) => `${status} no-store`),
  )
})

test('B54: scopes and expiry of a cached token are checked for each request', async () => {
  const cache = { enabled: true }
  await using at = await resourceWith({ cache, scopes: ["${request.uri.path == '/admin' ? 'admin' : 'read'}"] })
  assert.equal((await at.ask(GOOD)).status, 200)
  assert.equal((await at.ask(GOOD, 'https://app.example/admin')).status, 403)
  assert.equal((await at.ask(GOOD, 'http://app.example/')).status, 403)
  assert.equal(at.server.asked.length, 1)
  at.clock.advance(2 * 3_600_000)
  assert.equal((await at.ask(GOOD)).status, 401)
})
