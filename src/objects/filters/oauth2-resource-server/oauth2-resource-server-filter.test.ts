import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type AccessToken,
  type AccessTokenResolver,
  AccessTokenResolverKind,
  OAuth2Context,
  ResourceAccessKind,
  type TokenResolution,
} from '#contracts'
import { type Exchange, type Filter, type Handler, respond } from '#http'
import type { JsonObject, JsonValue } from '#json'
import { defineType } from '#schema'
import { build, manualClock } from '#test/build'
import { textOf } from '#test/client'
import { auditedExchange, type ExchangeParts, exchangeFor } from '#test/exchange'
import { ScheduledExecutorService } from '../../services/scheduled-executor/scheduled-executor-service.ts'
import { OAuth2ResourceServerFilter } from './oauth2-resource-server-filter.ts'

const clock = manualClock()

const accessToken = (more: Partial<AccessToken> = {}): AccessToken => ({
  token: 'good',
  info: { sub: 'demo' },
  scopes: new Set(['read', 'mail']),
  expiresAt: clock.now() + 60_000,
  ...more,
})

/** A filter with a resolver controlled by the test. */
async function filterWith(config: JsonObject = {}, resolver: Partial<AccessTokenResolver> = {}) {
  const whole: AccessTokenResolver = {
    resolve: () => ({ outcome: 'valid', accessToken: accessToken() }),
    ...resolver,
  }
  const Resolver = defineType({
    name: 'TestResolver',
    kind: AccessTokenResolverKind,
    summary: 'Says what a test wants.',
    config: {},
    create: () => whole,
  })
  const Access = defineType({
    name: 'TestAccess',
    kind: ResourceAccessKind,
    summary: 'Wants the scope that the path names.',
    config: {},
    create: () => ({
      requiredScopes: async ({ request }: Exchange) => new Set([request.uri.rawPath.slice(1)]),
    }),
  })
  const built = await build<Filter>(
    OAuth2ResourceServerFilter,
    { accessTokenResolver: { type: 'TestResolver' }, scopes: ['read'], ...config },
    {
      clock,
      types: [Resolver, Access, ScheduledExecutorService],
      heap: [
        { name: 'ScheduledExecutorService', type: 'ScheduledExecutorService' },
        { name: 'access', type: 'TestAccess' },
      ],
    },
  )
  let passed: Exchange | null = null
  const next: Handler = async (exchange) => {
    passed = exchange
    return respond(200, {}, 'application')
  }
  return {
    built,
    passed: () => passed,
    /** The response: status, challenges, body. */
    async ask(
      authorization: string | readonly string[] | null = 'Bearer good',
      url = 'https://app.example/',
      parts: ExchangeParts = {},
    ) {
      const headers = authorization === null ? {} : { Authorization: authorization }
      const response = await built.object(
        exchangeFor('GET', url, { ...parts, headers: { ...headers, ...parts.headers } }),
        next,
      )
      const { status } = response
      return {
        status,
        challenges: response.headers.all('www-authenticate'),
        retryAfter: response.headers.get('retry-after'),
        cacheControl: response.headers.get('cache-control'),
        text: await textOf(response),
      }
    },
    [Symbol.asyncDispose]: () => built[Symbol.asyncDispose](),
  }
}

const refusing = (resolution: TokenResolution) => ({ resolve: () => resolution })

test('a request with a valid token passes, with the token data in the context oauth2', async () => {
  await using at = await filterWith()
  assert.equal((await at.ask()).status, 200)
  assert.deepEqual(at.passed()?.context(OAuth2Context), { accessToken: accessToken() })
})

test('a valid token adds no promise: the promise of the application is returned unchanged', async () => {
  await using at = await filterWith()
  const answer = Promise.resolve(respond(200))
  const exchange = exchangeFor('GET', 'https://app.example/', { headers: { Authorization: 'Bearer good' } })
  assert.equal(
    at.built.object(exchange, () => answer),
    answer,
  )
})

const ALGORITHMS = 'algs="ES256 ES384 ES512 EdDSA Ed25519 PS256 PS384 PS512 RS256 RS384 RS512"'

test('the decision about a valid token says whether it was cached', async () => {
  await using at = await filterWith({ cache: { enabled: true } })
  const found: unknown[] = []
  for (let request = 1; request <= 2; request++) {
    const headers = { Authorization: 'Bearer good' }
    const exchange = auditedExchange('GET', 'https://app.example/', { headers })
    await at.built.object(exchange, async () => respond(200))
    const { result, fromCache } = exchange.audit?.decision ?? assert.fail('no decision')
    found.push([result, fromCache])
  }
  assert.deepEqual(found, [
    ['GRANTED', false],
    ['GRANTED', true],
  ])
})

test('the rejection of a malformed Authorization field is a decision', async () => {
  await using at = await filterWith()
  const exchange = auditedExchange('GET', 'https://app.example/', { headers: { Authorization: 'Bearer a b' } })
  assert.equal((await at.built.object(exchange, async () => respond(200))).status, 400)
  const { result, reason } = exchange.audit?.decision ?? assert.fail('no decision')
  assert.deepEqual(
    [result, reason],
    ['DENIED', 'The Authorization header field is not a scheme, one space and a token.'],
  )
})

describe('requests without a valid token', () => {
  test('no token: 401 with the realm and no error', async () => {
    await using at = await filterWith()
    for (const authorization of [null, 'Basic x', 'Bearer']) {
      const { status, challenges, text, cacheControl } = await at.ask(authorization)
      assert.deepEqual(
        [status, challenges, text, cacheControl],
        [401, ['Bearer realm="IdentityGateway"'], '', 'no-store'],
      )
    }
    assert.equal(at.passed(), null)
  })

  test('B47: tokens in a query or a body are ignored', async () => {
    await using at = await filterWith()
    assert.equal((await at.ask(null, 'https://app.example/?access_token=good')).status, 401)
    const posted = await at.ask(null, 'https://app.example/', {
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'access_token=good',
    })
    assert.equal(posted.status, 401)
  })

  test('B47: two Authorization fields: 400', async () => {
    await using at = await filterWith()
    const { status, challenges, cacheControl } = await at.ask(['Bearer good', 'Bearer good'])
    assert.deepEqual([status, cacheControl], [400, 'no-store'])
    assert.deepEqual(challenges, [
      'Bearer realm="IdentityGateway", error="invalid_request", error_description="The request has more than one Authorization header field."',
    ])
  })

  test('B47: a token of 100 KB is rejected without a lookup', async () => {
    await using at = await filterWith({}, { resolve: () => assert.fail('no server is called') })
    const { status, challenges } = await at.ask(`Bearer ${'x'.repeat(100_000)}`)
    assert.equal(status, 401)
    assert.match(challenges[0] as string, /error="invalid_token"/)
  })

  test('an invalid token: 401 with the description of the resolver, sanitized for a header', async () => {
    await using at = await filterWith({}, refusing({ outcome: 'invalid', description: 'no "good"\r\ntoken \u2713' }))
    const { status, challenges, cacheControl } = await at.ask()
    assert.deepEqual([status, cacheControl], [401, 'no-store'])
    assert.deepEqual(challenges, [
      `Bearer realm="IdentityGateway", error="invalid_token", error_description="no 'good'''token '"`,
    ])
  })

  test('a request that the authorization server rejects: 400', async () => {
    await using at = await filterWith({}, refusing({ outcome: 'bad_request', description: 'Not so.' }))
    const { status, challenges, text, cacheControl } = await at.ask()
    assert.deepEqual([status, text, cacheControl], [400, 'Not so.', 'no-store'])
    assert.match(challenges[0] as string, /error="invalid_request"/)
  })

  test('the authorization server is unavailable: 503 with Retry-After and no challenge', async () => {
    await using at = await filterWith({}, refusing({ outcome: 'unavailable', description: 'Later.' }))
    const { status, challenges, retryAfter, cacheControl } = await at.ask()
    assert.deepEqual([status, challenges, retryAfter, cacheControl], [503, [], '5', 'no-store'])
  })

  test('a resolver that fails is a fault', async () => {
    await using at = await filterWith({}, { resolve: () => Promise.reject(new Error('broken')) })
    await assert.rejects(at.ask(), /broken/)
    await using thrown = await filterWith(
      {},
      {
        resolve: () => {
          throw new Error('broken')
        },
      },
    )
    await assert.rejects(thrown.ask(), /broken/)
    assert.equal(at.passed(), null)
  })

  test('B54: an expired token is rejected although the resolver returns it as valid', async () => {
    await using at = await filterWith(
      {},
      refusing({ outcome: 'valid', accessToken: accessToken({ expiresAt: clock.now() }) }),
    )
    const { status, challenges } = await at.ask()
    assert.equal(status, 401)
    assert.match(challenges[0] as string, /error="invalid_token", error_description="The access token has expired\."/)
    assert.equal(at.passed(), null)
  })

  test('a token without expiry passes', async () => {
    await using at = await filterWith({}, refusing({ outcome: 'valid', accessToken: accessToken({ expiresAt: null }) }))
    assert.equal((await at.ask()).status, 200)
  })
})

describe('admit of a resolver, for each request', () => {
  test('a refusal sets the error code and header fields', async () => {
    await using at = await filterWith(
      {},
      {
        schemes: ['DPoP', 'Bearer'],
        admit: async () => ({
          outcome: 'invalid',
          error: 'use_dpop_nonce',
          description: 'A nonce is wanted.',
          headers: { 'DPoP-Nonce': 'n1' },
        }),
      },
    )
    const exchange = exchangeFor('GET', 'https://app.example/', { headers: { Authorization: 'DPoP good' } })
    const response = await at.built.object(exchange, () => assert.fail('nothing passes'))
    assert.equal(response.status, 401)
    assert.equal(response.headers.get('dpop-nonce'), 'n1')
    assert.deepEqual(response.headers.all('www-authenticate'), [
      `DPoP realm="IdentityGateway", error="use_dpop_nonce", error_description="A nonce is wanted.", ${ALGORITHMS}`,
      'Bearer realm="IdentityGateway"',
    ])
  })

  test('null admits the request', async () => {
    await using at = await filterWith({}, { admit: () => null })
    assert.equal((await at.ask()).status, 200)
  })

  test('a bound token is rejected where no resolver verifies its binding; allowBoundTokens admits it', async () => {
    const bound = (cnf: JsonValue) => ({
      resolve: () => ({ outcome: 'valid' as const, accessToken: accessToken({ info: { sub: 'demo', cnf } }) }),
    })
    for (const cnf of [{ jkt: 'x' }, { 'x5t#S256': 'x' }, { kid: 'x' }, {}, 'odd']) {
      await using at = await filterWith({}, bound(cnf))
      const { status, challenges } = await at.ask()
      assert.equal(status, 401, JSON.stringify(cnf))
      assert.match(challenges[0] as string, /error="invalid_token".*bound to a key or certificate.*not verified here/)
      await using open = await filterWith({ allowBoundTokens: true }, bound(cnf))
      assert.equal((await open.ask()).status, 200)
      await using verified = await filterWith({}, { ...bound(cnf), verifiesBinding: () => true })
      assert.equal((await verified.ask()).status, 200)
      await using cached = await filterWith(
        { cache: { enabled: true } },
        { ...bound(cnf), verifiesBinding: () => true },
      )
      assert.equal((await cached.ask()).status, 200)
    }
    await using at = await filterWith({}, bound(null))
    assert.equal((await at.ask()).status, 200)
  })

  test('the schemes of the resolver are accepted and in the challenges', async () => {
    await using both = await filterWith({}, { schemes: ['Bearer', 'DPoP'] })
    assert.deepEqual((await both.ask(null)).challenges, [
      'Bearer realm="IdentityGateway"',
      `DPoP realm="IdentityGateway", ${ALGORITHMS}`,
    ])
    assert.equal((await both.ask('DPoP good')).status, 200)
    await using bearer = await filterWith()
    assert.equal((await bearer.ask('DPoP good')).status, 401)
  })
})

describe('scopes', () => {
  const statuses: readonly [string, JsonValue, number][] = [
    ['one that the token has', ['read'], 200],
    ['all that the token has', ['read', 'mail'], 200],
    ['none', [], 200],
    ['one that it lacks among others', ['read', 'admin'], 403],
    ['another case', ['READ'], 403],
    ['a list in the list', ['read', ['mail']], 200],
    ['a list in the list with one that it lacks', [['read', 'admin']], 403],
    ['an expression', ["${request.method == 'GET' ? 'read' : 'write'}"], 200],
    ['an expression for what it lacks', ["${request.method == 'GET' ? 'admin' : 'read'}"], 403],
    ['an expression that gives a list', ["${split('read mail', ' ')}"], 200],
    ['an expression that gives a list with one that it lacks', ["${split('read admin', ' ')}"], 403],
    ['an expression in a list in the list', [["${request.method == 'GET' ? 'mail' : 'x'}"]], 200],
    ['an object that names them', 'access', 403],
    ['an object in place', { type: 'TestAccess' }, 403],
  ]
  for (const [name, scopes, expected] of statuses) {
    test(name, async () => {
      await using at = await filterWith({ scopes })
      const { status, cacheControl } = await at.ask()
      assert.equal(status, expected)
      assert.equal(cacheControl, expected === 403 ? 'no-store' : null)
      assert.equal(at.passed() === null, expected === 403)
    })
  }

  test('the required scopes are in the challenge', async () => {
    await using at = await filterWith({ scopes: ['read', 'admin'], realm: 'a "b" \\c' })
    assert.deepEqual((await at.ask()).challenges, [
      'Bearer realm="a \\"b\\" \\\\c", error="insufficient_scope", error_description="The access token lacks a scope that the request needs.", scope="read admin"',
    ])
  })

  test('a ResourceAccess object is called for each request', async () => {
    await using at = await filterWith({ scopes: 'access' })
    assert.equal((await at.ask('Bearer good', 'https://app.example/mail')).status, 200)
    assert.equal((await at.ask('Bearer good', 'https://app.example/admin')).status, 403)
  })

  test('one expression in place of the list returns the scopes, with a warning', async () => {
    const scopes = "${request.uri.path == '/mail' ? array('read') : array('read', 'admin')}"
    await using at = await filterWith({ scopes })
    assert.equal(at.built.warnings.length, 1)
    assert.match(at.built.warnings[0] as string, /^\/heap\/0\/config\/scopes: expected a list, got /)
    assert.equal((await at.ask('Bearer good', 'https://app.example/mail')).status, 200)
    assert.equal((await at.ask('Bearer good', 'https://app.example/admin')).status, 403)
  })

  test('scopes that could end the parameter are not in the challenge', async () => {
    await using at = await filterWith({ scopes: ['${request.uri.query}'] })
    const { status, challenges } = await at.ask('Bearer good', 'https://app.example/?a"b')
    assert.equal(status, 403)
    assert.doesNotMatch(challenges[0] as string, /scope="/)
  })

  for (const [name, element] of [
    ['null', '${request.headers["none"]}'],
    ['an empty text', "${request.uri.path == '/' ? '' : 'x'}"],
    ['a number', '${request.uri.path.length()}'],
    ['a map', '${contexts.attributes}'],
    ['a failure', '${request.method.substring(100)}'],
    ['a list with null', "${array('read', request.headers['none'])}"],
  ] as const) {
    test(`an expression that returns ${name} is a fault, not an empty list of required scopes`, async () => {
      await using at = await filterWith({ scopes: ['read', element] })
      await assert.rejects(at.ask())
      assert.equal(at.passed(), null)
    })
  }

  test('a scope with a space gives a warning', async () => {
    await using at = await filterWith({ scopes: ['read mail'] })
    assert.deepEqual(at.built.warnings, [
      '/heap/0: scopes: no token has the scope "read mail": write each scope as an element of its own',
    ])
    assert.equal((await at.ask()).status, 403)
  })
})

describe('requireHttps', () => {
  test('a request over HTTP: 403 with the reason, and no server is called', async () => {
    await using at = await filterWith({}, { resolve: () => assert.fail('no server is called') })
    const { status, text, cacheControl, challenges } = await at.ask('Bearer good', 'http://app.example/')
    assert.deepEqual(
      [status, text, cacheControl, challenges],
      [403, 'This resource is served over HTTPS only.', 'no-store', []],
    )
  })

  test('the original URI is checked, not the one that filters have changed', async () => {
    await using at = await filterWith()
    const rebased = exchangeFor('GET', 'https://app.example/', { headers: { Authorization: 'Bearer good' } })
    rebased.request.uri.scheme = 'http'
    assert.equal((await at.built.object(rebased, async () => respond(200))).status, 200)
    const disguised = exchangeFor('GET', 'http://app.example/', { headers: { Authorization: 'Bearer good' } })
    disguised.request.uri.scheme = 'https'
    assert.equal((await at.built.object(disguised, async () => respond(200))).status, 403)
  })

  test('false: HTTP is accepted', async () => {
    await using at = await filterWith({ requireHttps: '${false}' })
    assert.equal((await at.ask('Bearer good', 'http://app.example/')).status, 200)
  })
})

test('invalid values are reported with their pointer', async () => {
  const refused = (config: JsonObject, message: string | RegExp) => assert.rejects(filterWith(config), { message })
  await refused({ scopes: null }, /^\/heap\/0\/config\/scopes: expected .*; this field is required$/)
  await refused({ scopes: [1] }, /^\/heap\/0\/config\/scopes\/0: expected .*, got 1$/)
  await refused(
    { scopes: 'missing' },
    '/heap/0/config/scopes: no ResourceAccess named "missing" in this heap or its parents',
  )
  await refused({ accessTokenResolver: null }, /\/config\/accessTokenResolver: .*required/)
  await refused({ realm: 'caf\u00e9' }, '/heap/0/config/realm: expected printable ASCII characters, got "caf\u00e9"')
  await refused({ realm: 'a\nb' }, '/heap/0/config/realm: expected printable ASCII characters, got "a\\nb"')
  await refused({ cache: { maxTimeout: 'unlimited' } }, /\/config\/cache\/maxTimeout: expected a limited duration/)
  await refused({ cache: { maxTimeout: '0 s' } }, /\/config\/cache\/maxTimeout: expected a duration of more than zero/)
  await refused({ cache: { maximumTime: '1 s' } }, /\/config\/cache\/maximumTime: unknown field/)
  await refused(
    { cache: { onNotificationDisconnection: 'CLEAR' } },
    /expected one of "NEVER_CLEAR", "CLEAR_ON_DISCONNECT", "CLEAR_ON_RECONNECT", got "CLEAR"/,
  )
  await refused({ executor: 'other' }, /\/config\/executor: no ScheduledExecutorService named "other"/)
})

test('the type has two names', () => {
  assert.deepEqual(OAuth2ResourceServerFilter.aliases, ['OAuth2RSFilter'])
})
