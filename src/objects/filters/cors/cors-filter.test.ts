import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HandlerKind } from '#contracts'
import { type Filter, type Handler, type Response, respond } from '#http'
import type { JsonObject, JsonValue } from '#json'
import { defineType } from '#schema'
import { type Built, build } from '#test/build'
import { auditedExchange, exchangeFor } from '#test/exchange'
import { CorsFilter } from './cors-filter.ts'

const Teapot = defineType({
  name: 'Teapot',
  kind: HandlerKind,
  summary: 'Answers 418.',
  config: {},
  create: (): Handler => async () => respond(418),
})

const APP = 'https://app.test'
const API = 'https://api.test/items'

type Sent = Record<string, string | string[]>

interface Answer {
  readonly response: Response
  readonly passed: boolean
}

async function send(built: Built<Filter>, method: string, headers: Sent, upstream: Sent = {}): Promise<Answer> {
  let passed = false
  const next: Handler = async () => {
    passed = true
    return respond(200, upstream as Record<string, string>)
  }
  return { response: await built.object(exchangeFor(method, API, { headers }), next), passed }
}

/** Sends a request through a filter with one policy. */
async function through(policy: JsonObject, method: string, headers: Sent, upstream: Sent = {}): Promise<Answer> {
  await using built = await build<Filter>(CorsFilter, { policies: [{ acceptedOrigins: [APP], ...policy }] })
  return send(built, method, headers, upstream)
}

const preflight = (policy: JsonObject, method: string, headers: Sent = {}) =>
  through(policy, 'OPTIONS', { Origin: APP, 'Access-Control-Request-Method': method, ...headers })

const fields = ({ response }: Answer) => Object.fromEntries(response.headers.entries())

test('a request without origin passes; its response has Vary and no grants', async () => {
  const answer = await through({}, 'GET', {}, { 'X-A': '1', 'Access-Control-Allow-Origin': '*' })
  assert.equal(answer.passed, true)
  assert.deepEqual(fields(answer), { 'X-A': '1', Vary: 'Origin' })
})

test('a request of an accepted origin passes, and its response has the grants', async () => {
  const answer = await through({}, 'GET', { Origin: APP })
  assert.deepEqual(fields(answer), { 'Access-Control-Allow-Origin': APP, Vary: 'Origin' })
})

test('a response has the exposed headers and allows credentials', async () => {
  const policy = { exposedHeaders: ['X-A', 'X-B'], allowCredentials: true, maxAge: '1 minute' }
  assert.deepEqual(fields(await through(policy, 'DELETE', { Origin: APP })), {
    'Access-Control-Allow-Origin': APP,
    'Access-Control-Allow-Credentials': 'true',
    'Access-Control-Expose-Headers': 'X-A, X-B',
    Vary: 'Origin',
  })
})

test('grants of the application are replaced', async () => {
  const upstream = {
    'access-control-allow-origin': ['*', 'https://evil.test'],
    'Access-Control-Allow-Credentials': 'true',
    'ACCESS-CONTROL-MAX-AGE': '5',
    'X-Kept': '1',
  }
  const { response } = await through({}, 'GET', { Origin: APP }, upstream)
  assert.deepEqual(response.headers.raw(), ['X-Kept', '1', 'Access-Control-Allow-Origin', APP, 'Vary', 'Origin'])
})

test('an existing Vary is extended once', async () => {
  const vary = async (...values: string[]) =>
    (await through({}, 'GET', { Origin: APP }, { Vary: values })).response.headers.all('vary')
  assert.deepEqual(await vary('Accept'), ['Accept', 'Origin'])
  assert.deepEqual(await vary('Accept, origin'), ['Accept, origin'])
  assert.deepEqual(await vary('*'), ['*'])
})

test('a request of an origin that no policy accepts is rejected and not passed on', async () => {
  const refused = [
    'https://evil.test',
    'http://app.test',
    'https://app.test:8443',
    'https://app.test.evil',
    'https://app.test/',
    'https://app.test@evil.test',
    'null',
    '',
    'app.test',
  ]
  for (const origin of refused) {
    const answer = await through({}, 'GET', { Origin: origin })
    assert.equal(answer.passed, false, origin)
    assert.equal(answer.response.status, 403)
    assert.deepEqual(fields(answer), { 'Cache-Control': 'no-store', Vary: 'Origin' })
  }
})

test('more than one origin is rejected', async () => {
  assert.equal((await through({}, 'GET', { Origin: [APP, APP] })).response.status, 403)
})

test('the failure handler handles rejected requests', async () => {
  const policies = [{ acceptedOrigins: [APP] }]
  await using built = await build<Filter>(
    CorsFilter,
    { policies, failureHandler: { type: 'Teapot' } },
    { types: [Teapot] },
  )
  const answer = await send(built, 'GET', { Origin: 'https://evil.test' })
  assert.equal(answer.response.status, 418)
  assert.deepEqual(fields(answer), { Vary: 'Origin' })
})

test('the default port of a scheme equals none, and case is ignored', async () => {
  const accepted = async (acceptedOrigins: string[], origin: string) =>
    (await through({ acceptedOrigins }, 'GET', { Origin: origin })).response.headers.get('access-control-allow-origin')
  assert.equal(await accepted(['https://APP.test:443'], APP), APP)
  assert.equal(await accepted([APP], 'https://app.test:443'), 'https://app.test:443')
  assert.equal(await accepted(['http://app.test:80'], 'http://app.test'), 'http://app.test')
  assert.equal(await accepted(['https://app.test:80'], APP), null)
  assert.equal(await accepted(['capacitor://localhost'], 'capacitor://localhost'), 'capacitor://localhost')
})

test('a same-origin request passes with any policy', async () => {
  const answer = await through({}, 'POST', { Origin: 'https://api.test' })
  assert.equal(answer.passed, true)
  assert.deepEqual(fields(answer), { Vary: 'Origin' })
})

test('all origins are granted with "*", also the opaque origin null', async () => {
  for (const acceptedOrigins of ['*', ['*'], [APP, '*']]) {
    for (const origin of ['https://any.test', 'null']) {
      const answer = await through({ acceptedOrigins }, 'GET', { Origin: origin })
      assert.equal(answer.passed, true)
      assert.deepEqual(fields(answer), { 'Access-Control-Allow-Origin': '*', Vary: 'Origin' })
    }
  }
  const bad = await through({ acceptedOrigins: '*' }, 'GET', { Origin: 'not an origin' })
  assert.equal(bad.response.status, 403)
})

test('the first policy that accepts the origin applies', async () => {
  await using built = await build<Filter>(CorsFilter, {
    policies: [
      { acceptedOrigins: ['https://one.test'], exposedHeaders: ['X-One'] },
      { acceptedOrigins: [APP], exposedHeaders: ['X-Two'], allowCredentials: true },
      { acceptedOrigins: '*', exposedHeaders: ['X-Three'] },
    ],
  })
  const exposed = async (origin: string) =>
    (await send(built, 'GET', { Origin: origin })).response.headers.get('access-control-expose-headers')
  assert.equal(await exposed('https://one.test'), 'X-One')
  assert.equal(await exposed(APP), 'X-Two')
  assert.equal(await exposed('https://other.test'), 'X-Three')
})

test('the filter responds to a preflight', async () => {
  const policy = {
    acceptedMethods: ['PUT', 'DELETE'],
    acceptedHeaders: ['X-A', 'Content-Type'],
    exposedHeaders: ['X-B'],
    maxAge: '90 seconds',
    allowCredentials: true,
  }
  const answer = await preflight(policy, 'PUT', { 'Access-Control-Request-Headers': 'content-type,x-a' })
  assert.equal(answer.passed, false)
  assert.equal(answer.response.status, 204)
  assert.deepEqual(fields(answer), {
    'Access-Control-Allow-Origin': APP,
    'Access-Control-Allow-Credentials': 'true',
    'Access-Control-Allow-Methods': 'PUT, DELETE',
    'Access-Control-Allow-Headers': 'x-a, content-type',
    'Access-Control-Max-Age': '90',
    Vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
  })
})

test('by default a preflight is granted only safelisted methods and headers', async () => {
  assert.deepEqual(fields(await preflight({}, 'POST')), {
    'Access-Control-Allow-Origin': APP,
    Vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
  })
  assert.equal((await preflight({}, 'PUT')).response.status, 403)
  assert.equal((await preflight({}, 'GET', { 'Access-Control-Request-Headers': 'x-a' })).response.status, 403)
})

test('methods are compared case-sensitively, header names case-insensitively', async () => {
  const policy = { acceptedMethods: ['PATCH'], acceptedHeaders: ['X-Api'] }
  assert.equal((await preflight(policy, 'patch')).response.status, 403)
  assert.equal((await preflight(policy, 'PATCH', { 'Access-Control-Request-Headers': 'x-API' })).response.status, 204)
})

test('all methods and headers are granted by name', async () => {
  const policy = { acceptedMethods: '*', acceptedHeaders: ['*'], allowCredentials: true }
  const asked = { 'Access-Control-Request-Headers': ['Authorization, x-b', ' X-C ,'] }
  const granted = fields(await preflight(policy, 'PURGE', asked))
  assert.equal(granted['Access-Control-Allow-Methods'], 'PURGE')
  assert.equal(granted['Access-Control-Allow-Headers'], 'authorization, x-b, x-c')
  assert.equal((await preflight(policy, 'GET, PUT')).response.status, 403)
  const twoWords = { 'Access-Control-Request-Headers': 'a b' }
  assert.equal((await preflight(policy, 'PUT', twoWords)).response.status, 403)
})

test('a preflight of another origin is rejected', async () => {
  const answer = await preflight({ acceptedMethods: '*' }, 'PUT', { Origin: 'https://evil.test' })
  assert.equal(answer.passed, false)
  assert.equal(answer.response.status, 403)
})

const decisions: readonly [string, JsonObject, Sent, string[]][] = [
  ['its origin', {}, { Origin: 'https://evil.test' }, ['no policy accepts the origin']],
  ['its method', {}, {}, ['the policy does not accept the method of the preflight', 'PUT']],
  [
    'a header',
    { acceptedMethods: ['PUT'], acceptedHeaders: ['X-A'] },
    { 'Access-Control-Request-Headers': 'x-a,x-b' },
    ['the policy does not accept the request header of the preflight', 'x-b'],
  ],
  [
    'a malformed header',
    { acceptedMethods: '*', acceptedHeaders: '*' },
    { 'Access-Control-Request-Headers': 'a b' },
    ['the preflight is malformed'],
  ],
]

for (const [what, policy, headers, decision] of decisions) {
  test(`the decision about a preflight that is rejected for ${what} has the reason`, async () => {
    await using built = await build<Filter>(CorsFilter, { policies: [{ acceptedOrigins: [APP], ...policy }] })
    const sent = { Origin: APP, 'Access-Control-Request-Method': 'PUT', ...headers }
    const exchange = auditedExchange('OPTIONS', API, { headers: sent })
    assert.equal((await built.object(exchange, async () => respond(200))).status, 403)
    const { result, reason, rule } = exchange.audit?.decision ?? {}
    assert.deepEqual([result, reason, ...(rule === undefined ? [] : [rule])], ['DENIED', ...decision])
  })
}

test('OPTIONS without Access-Control-Request-Method is no preflight', async () => {
  const answer = await through({}, 'OPTIONS', { Origin: APP })
  assert.equal(answer.passed, true)
  assert.equal(answer.response.headers.get('access-control-allow-origin'), APP)
})

test('a maxAge of zero disables preflight caching in browsers', async () => {
  assert.equal(fields(await preflight({ maxAge: '0 s' }, 'GET'))['Access-Control-Max-Age'], '0')
})

test('the old name of acceptedOrigins is accepted with a warning', async () => {
  await using built = await build<Filter>(CorsFilter, { policies: [{ origins: [APP] }] })
  assert.deepEqual(built.warnings, [
    '/heap/0/config/policies/0/origins: origins is deprecated; use acceptedOrigins instead',
  ])
  assert.equal((await send(built, 'GET', { Origin: APP })).response.headers.get('access-control-allow-origin'), APP)
})

const one = (policy: JsonObject) => ({ policies: [{ acceptedOrigins: [APP], ...policy }] })

const refusals: readonly [string, JsonValue, string][] = [
  ['no policies', {}, '/policies: expected an array of object; this field is required'],
  ['an empty list of policies', { policies: [] }, '/policies: expected at least one element'],
  [
    'no origins',
    { policies: [{}] },
    '/policies/0/acceptedOrigins: expected "*", or an array of origin; this field is required',
  ],
  [
    'one origin without array',
    one({ acceptedOrigins: APP }),
    '/policies/0/acceptedOrigins: expected "*" or an array of origins, got "https://app.test"',
  ],
  [
    'an origin with a path',
    one({ acceptedOrigins: [APP, 'https://a.test/x'] }),
    '/policies/0/acceptedOrigins/1: expected an origin such as "https://app.example.com", got "https://a.test/x"',
  ],
  [
    'an origin with a final slash',
    one({ acceptedOrigins: ['https://a.test/'] }),
    '/policies/0/acceptedOrigins/0: expected an origin such as "https://app.example.com", got "https://a.test/": leave the final "/" out',
  ],
  [
    'an origin with a wildcard',
    one({ acceptedOrigins: ['https://*.test'] }),
    '/policies/0/acceptedOrigins/0: expected an origin such as "https://app.example.com", got "https://*.test": a part of an origin can not be "*"; list the origins',
  ],
  [
    'the origin null',
    one({ acceptedOrigins: ['null'] }),
    '/policies/0/acceptedOrigins/0: expected an origin such as "https://app.example.com", got "null": any page in a sandbox has that origin',
  ],
  [
    'all origins with credentials',
    one({ acceptedOrigins: '*', allowCredentials: true }),
    '/policies/0/allowCredentials: expected false with all origins, got true: any site could act with the credentials of its visitors; list the origins',
  ],
  [
    'all headers exposed with credentials',
    one({ exposedHeaders: ['*'], allowCredentials: true }),
    '/policies/0/exposedHeaders: expected header names, got "*": browsers take "*" for a header name where there are credentials; list the headers',
  ],
  [
    'an invalid method',
    one({ acceptedMethods: ['GET PUT'] }),
    '/policies/0/acceptedMethods/0: expected a method, got "GET PUT"',
  ],
  [
    'an invalid header',
    one({ acceptedHeaders: ['a:'] }),
    '/policies/0/acceptedHeaders/0: expected a header name, got "a:"',
  ],
  [
    'a time without end',
    one({ maxAge: 'unlimited' }),
    '/policies/0/maxAge: expected a limited duration, got "unlimited"',
  ],
]

for (const [what, config, message] of refusals) {
  test(`refuses ${what}`, async () => {
    await assert.rejects(build(CorsFilter, config), {
      code: 'GW_CONFIG_INVALID',
      message: `/heap/0/config${message}`,
    })
  })
}
