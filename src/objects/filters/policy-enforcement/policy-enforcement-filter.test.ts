import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dialectOf } from '#access-manager'
import { LoginRedirectContext, PolicyDecisionContext, type SsoToken, SsoTokenContext } from '#contracts'
import { DevelopmentAccessManager } from '#dev'
import { type Filter, type Response, respond } from '#http'
import type { JsonObject, JsonValue } from '#json'
import { accessManagerOptions } from '#test/am-service'
import { build, manualClock } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { StaticResponseHandler } from '../../handlers/static-response/static-response-handler.ts'
import { redirectionMarker } from '../../lib/login/redirection-marker.ts'
import { RequestResourceUriProvider } from '../../resource-uris/request/request-resource-uri-provider.ts'
import { amLogin } from '../single-sign-on/am-login.ts'
import { PolicyEnforcementFilter } from './policy-enforcement-filter.ts'

const TYPES = [StaticResponseHandler, RequestResourceUriProvider]
const PAGE = 'http://app.example/page?x=1'
const ALLOW_GET = {
  name: 'pages',
  resources: ['http://app.example/*', 'http://app.example/*?*'],
  actionValues: { GET: true, POST: false },
  subject: { type: 'AuthenticatedUsers' as const },
}

interface Parts {
  readonly am?: JsonObject
  readonly heap?: readonly JsonValue[]
}

/** A filter with a development access manager. */
async function enforcing(
  manager: DevelopmentAccessManager,
  config: JsonObject = {},
  { am = {}, heap = [] }: Parts = {},
) {
  const clock = manualClock(Date.now())
  const around = accessManagerOptions(manager.url, { notifications: { enabled: false }, ...am })
  const built = await build<Filter>(
    PolicyEnforcementFilter,
    { amService: 'am', ssoTokenSubject: "${request.headers['X-Session'][0]}", ...config },
    {
      clock,
      types: [...around.types, ...TYPES],
      heap: [...around.heap, ...heap],
    },
  )
  return {
    clock,
    built,
    async ask(
      session: string | null,
      { method = 'GET', url = PAGE, headers = {}, sso = null as SsoToken | null } = {},
    ) {
      const all = { ...headers, ...(session === null ? {} : { 'X-Session': session }) }
      const exchange = exchangeFor(method, url, { headers: all })
      let passed: { uri: string; decision: object | null } | null = null
      const response: Response = await built.object(
        sso === null
          ? exchange
          : exchange.with(SsoTokenContext, sso).with(
              LoginRedirectContext,
              amLogin({
                endpoint: sso.loginEndpoint,
                realm: '/',
                service: null,
                marker: redirectionMarker({ enabled: true, name: '_ig' }, clock),
                dialect: async () => dialectOf(null),
              }),
            ),
        async (inside) => {
          passed = { uri: inside.request.uri.toString(), decision: inside.context(PolicyDecisionContext) }
          return respond(200)
        },
      )
      return {
        status: response.status,
        headers: response.headers,
        passed: passed as { uri: string; decision: { attributes: object } } | null,
      }
    },
    [Symbol.asyncDispose]: () => built[Symbol.asyncDispose](),
  }
}

test('the decision allows by method, and is in the context of later filters', async () => {
  await using manager = await DevelopmentAccessManager.start()
  manager.putPolicy({
    ...ALLOW_GET,
    resourceAttributes: [{ type: 'Static', propertyName: 'team', propertyValues: ['a'] }],
  })
  await using pep = await enforcing(manager)
  const session = manager.login('demo')
  const allowed = await pep.ask(session)
  assert.equal(allowed.status, 200)
  assert.equal(JSON.stringify(allowed.passed?.decision.attributes), '{"team":["a"]}')
  assert.equal((await pep.ask(session, { method: 'POST' })).status, 403)
  assert.equal((await pep.ask(session, { method: 'DELETE' })).status, 403)
  assert.equal((await pep.ask(session, { method: 'get' })).status, 403)
  assert.equal((await pep.ask(session, { method: 'constructor' })).status, 403)
  const other = await pep.ask(session, { url: 'http://other.example/' })
  assert.deepEqual([other.status, other.headers.get('cache-control')], [403, 'no-store'])
})

test('the evaluation has the resource, the policy set, the subject and the environment', async () => {
  await using manager = await DevelopmentAccessManager.start()
  manager.putPolicy({ ...ALLOW_GET, applicationName: 'PEP' })
  const environment = {
    IP: ['${contexts.client.remoteAddress}'],
    agent: "${request.headers['User-Agent'][0]}",
    nothing: '${attributes.nothing}',
    number: '${1 + 1}',
  }
  await using pep = await enforcing(manager, { application: 'PEP', environment })
  const session = manager.login('demo')
  assert.equal((await pep.ask(session, { headers: { 'User-Agent': 'curl' } })).status, 200)
  const [evaluation] = manager.requests('policies')
  assert.deepEqual(JSON.parse(evaluation?.body ?? ''), {
    resources: [PAGE],
    application: 'PEP',
    subject: { ssoToken: session },
    environment: { IP: ['127.0.0.1'], agent: ['curl'], number: ['2'] },
  })
  assert.match(evaluation?.target ?? '', /\/json\/realms\/root\/policies\?_action=evaluate$/)
})

for (const [name, environment, sent] of [
  ['a map of the request', '${request.queryParams}', { x: ['1'] }],
  ['headers', '${request.headers}', { Host: ['app.example'], 'X-Session': ['session'], Via: ['a', 'b'] }],
  ['nothing', '${attributes.nothing}', {}],
  ['a URI among the values', { uri: '${request.uri}' }, { uri: [PAGE] }],
  ['a list among the values', { via: "${request.headers['Via']}" }, { via: ['a', 'b'] }],
  ['values without expression', { a: true, b: 3, c: null, d: ['x', '${1}'] }, { a: ['true'], b: ['3'], d: ['x', '1'] }],
] as const) {
  test(`environment: ${name}`, async () => {
    await using manager = await DevelopmentAccessManager.start()
    await using pep = await enforcing(manager, { environment } as unknown as JsonObject)
    await pep.ask('session', { headers: { Via: ['a', 'b'] } as never })
    assert.deepEqual(JSON.parse(manager.requests('policies')[0]?.body ?? '').environment ?? {}, sent)
  })
}

for (const [name, environment] of [
  ['a list', "${split('a,b', ',')}"],
  ['a text', '${request.method}'],
  ['an object that is no map', '${request}'],
  ['an object among the values', { it: '${contexts.client}' }],
] as const) {
  test(`environment: ${name} is a fault, and no server is called`, async () => {
    await using manager = await DevelopmentAccessManager.start()
    await using pep = await enforcing(manager, { environment } as unknown as JsonObject)
    await assert.rejects(pep.ask('session'), /expected/)
    assert.equal(manager.requests('policies').length, 0)
  })
}

test('pepRealm evaluates in another realm', async () => {
  await using manager = await DevelopmentAccessManager.start({ realms: ['/alpha'] })
  await using pep = await enforcing(manager, { pepRealm: '/alpha' })
  await pep.ask(manager.login('demo'))
  assert.match(manager.requests('policies')[0]?.target ?? '', /\/json\/realms\/root\/realms\/alpha\/policies/)
})

test('claimsSubject and jwtSubject are sent as claims and jwt', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using claims = await enforcing(manager, {
    claimsSubject: { sub: '${contexts.client.remoteAddress}', role: 'x' },
  })
  await claims.ask(null)
  assert.deepEqual(JSON.parse(manager.requests('policies').at(-1)?.body ?? '').subject, {
    claims: { sub: '127.0.0.1', role: 'x' },
  })
  await using whole = await enforcing(manager, { claimsSubject: '${attributes.claims}' })
  assert.equal((await whole.ask(null)).status, 403)
  await using jwt = await enforcing(manager, { jwtSubject: "${request.headers['Jwt'][0]}" })
  await jwt.ask(null, { headers: { Jwt: 'a.b.c' } })
  assert.deepEqual(JSON.parse(manager.requests('policies').at(-1)?.body ?? '').subject, { jwt: 'a.b.c' })
})

test('without a subject no decision is requested, and the request is denied', async () => {
  await using manager = await DevelopmentAccessManager.start()
  manager.putPolicy({ ...ALLOW_GET, subject: undefined } as never)
  await using pep = await enforcing(manager)
  assert.equal((await pep.ask(null)).status, 403)
  await using empty = await enforcing(manager, { ssoTokenSubject: '' })
  assert.equal((await empty.ask(null)).status, 403)
  await using noSub = await enforcing(manager, { claimsSubject: { sub: '${attributes.missing}' } })
  assert.equal((await noSub.ask('x')).status, 403)
  assert.equal(manager.requests('policies').length, 0)
})

test('an expression that fails is a fault, not a permission', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using pep = await enforcing(manager, { ssoTokenSubject: '${decodeBase64(request.headers)}' })
  await assert.rejects(pep.ask('x'))
})

test('failureHandler handles denied requests', async () => {
  await using manager = await DevelopmentAccessManager.start()
  const failureHandler = { type: 'StaticResponseHandler', config: { status: 451 } }
  await using pep = await enforcing(manager, { failureHandler })
  assert.equal((await pep.ask(manager.login('demo'))).status, 451)
  assert.equal((await pep.ask(null)).status, 451)
})

for (const [name, fault, status] of [
  ['a server error', { status: 500 }, 503],
  ['an HTML page', { status: 200, body: '<html>' }, 503],
  ['an object instead of a list', { status: 200, body: '{}' }, 503],
  ['an empty list', { status: 200, body: '[]' }, 500],
  [
    'a decision about another resource',
    { status: 200, body: '[{"resource":"http://app.example/","actions":{"GET":true}}]' },
    500,
  ],
  [
    '"true" instead of true',
    { status: 200, body: JSON.stringify([{ resource: PAGE, actions: { GET: 'true' } }]) },
    403,
  ],
  ['no actions', { status: 200, body: JSON.stringify([{ resource: PAGE }]) }, 403],
  ['an unknown policy set', { status: 404 }, 500],
  ['no privilege for the agent', { status: 403 }, 500],
  ['an invalid subject', { status: 400 }, 403],
  ['a redirect', { status: 302 }, 503],
] as const) {
  test(`B62: ${name} from the access manager is never a permission`, async () => {
    await using manager = await DevelopmentAccessManager.start()
    manager.putPolicy(ALLOW_GET)
    await using pep = await enforcing(manager)
    manager.fail('policies', fault)
    const answer = await pep.ask(manager.login('demo'))
    assert.deepEqual([answer.status, answer.passed], [status, null])
  })
}

test('F11: an access manager that is down: 503 with Retry-After', async () => {
  const manager = await DevelopmentAccessManager.start()
  await using pep = await enforcing(manager)
  const session = manager.login('demo')
  await manager.close()
  const { status, headers } = await pep.ask(session)
  assert.deepEqual([status, headers.get('retry-after')], [503, '5'])
})

test('50 KB of environment are accepted; more than the limit is a fault', async () => {
  await using manager = await DevelopmentAccessManager.start()
  manager.putPolicy(ALLOW_GET)
  await using pep = await enforcing(manager, { environment: { large: "${request.headers['Large'][0]}" } })
  const session = manager.login('demo')
  assert.equal((await pep.ask(session, { headers: { Large: 'x'.repeat(50_000) } })).status, 200)
  await assert.rejects(pep.ask(session, { headers: { Large: 'x'.repeat(200_000) } }), /larger than 131072 bytes/)
})

const cached = { cache: { enabled: true } }
const asked = (manager: DevelopmentAccessManager) => manager.requests('policies').length

test('B59: decisions are cached by resource, subject, policy set and environment', async () => {
  await using manager = await DevelopmentAccessManager.start()
  manager.putPolicy(ALLOW_GET)
  await using pep = await enforcing(manager, { ...cached, environment: { h: "${request.headers['H'][0]}" } })
  const [one, two] = [manager.login('demo'), manager.login('demo')]
  for (let visit = 0; visit < 3; visit += 1) {
    await pep.ask(one)
    await pep.ask(two)
    await pep.ask(one, { url: 'http://app.example/page?x=2' })
    await pep.ask(one, { headers: { H: '1' } })
    await pep.ask(one, { method: 'POST' })
  }
  assert.equal(asked(manager), 4)
})

test('B60: the rejection of a subject is cached for a short time', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using pep = await enforcing(manager, cached)
  manager.fail('policies', { status: 400 })
  for (let visit = 0; visit < 10; visit += 1) assert.equal((await pep.ask('unknown')).status, 403)
  assert.equal(asked(manager), 1)
  pep.clock.advance(5_000)
  assert.equal((await pep.ask('unknown')).status, 403)
  assert.equal(asked(manager), 2)
})

test('B54: a cached decision can not be changed by scripts and filters', async () => {
  await using manager = await DevelopmentAccessManager.start()
  manager.putPolicy({
    ...ALLOW_GET,
    resourceAttributes: [{ type: 'Static', propertyName: 'team', propertyValues: ['a'] }],
  })
  await using pep = await enforcing(manager, { cache: { enabled: true } })
  const session = manager.login('demo')
  const seen = (await pep.ask(session)).passed?.decision as unknown as {
    actions: Record<string, boolean>
    attributes: Record<string, string[]>
  }
  assert.throws(() => Object.assign(seen, { actions: { POST: true } }), TypeError)
  assert.throws(() => Object.assign(seen.actions, { POST: true }), TypeError)
  assert.throws(() => Object.assign(seen.attributes, { team: ['b'] }), TypeError)
  assert.throws(() => seen.attributes['team']?.push('b'), TypeError)
  assert.equal((await pep.ask(session, { method: 'POST' })).status, 403)
  assert.equal(manager.requests('policies').length, 1)
})

test('RequestResourceUriProvider without query shares the decision of a page', async () => {
  await using manager = await DevelopmentAccessManager.start()
  manager.putPolicy(ALLOW_GET)
  const resourceUriProvider = { type: 'RequestResourceUriProvider', config: { includeQueryParams: false } }
  await using pep = await enforcing(manager, { ...cached, resourceUriProvider })
  const session = manager.login('demo')
  await pep.ask(session, { url: 'http://app.example/page?x=1' })
  await pep.ask(session, { url: 'http://app.example/page?x=2' })
  assert.deepEqual(JSON.parse(manager.requests('policies')[0]?.body ?? '').resources, ['http://app.example/page'])
  assert.equal(asked(manager), 1)
})

test('B61: concurrent requests cause one evaluation; a failure is not cached', async () => {
  await using manager = await DevelopmentAccessManager.start()
  manager.putPolicy(ALLOW_GET)
  await using pep = await enforcing(manager, cached)
  const session = manager.login('demo')
  const hold = manager.hold('policies')
  const asking = Array.from({ length: 50 }, () => pep.ask(session))
  await manager.received('policies')
  hold.release()
  for (const { status } of await Promise.all(asking)) assert.equal(status, 200)
  assert.equal(asked(manager), 1)
  manager.fail('policies', { status: 500 })
  assert.equal((await pep.ask(manager.login('demo'))).status, 503)
  manager.heal()
})

test('a decision expires by its ttl, without one by defaultTimeout, and by maximumTimeToCache at the latest', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using pep = await enforcing(manager, {
    cache: { enabled: true, defaultTimeout: '10 s', maximumTimeToCache: '1 minute' },
  })
  const session = manager.login('demo')
  const decision = (ttl: number | string | undefined) => {
    const text = JSON.stringify([{ resource: PAGE, actions: { GET: true }, advices: {}, attributes: {} }])
    manager.fail('policies', { status: 200, body: ttl === undefined ? text : text.replace('}]', `,"ttl":${ttl}}]`) })
  }
  const keptFor = async (ttl: number | string | undefined, milliseconds: number) => {
    pep.clock.advance(3_600_000)
    decision(ttl)
    await pep.ask(session)
    pep.clock.advance(milliseconds)
    const before = asked(manager)
    await pep.ask(session)
    return asked(manager) === before
  }
  assert.equal(await keptFor(undefined, 9_999), true)
  assert.equal(await keptFor(undefined, 10_000), false)
  assert.equal(await keptFor('9223372036854775807', 9_999), true)
  assert.equal(await keptFor('9223372036854775807', 10_000), false)
  assert.equal(await keptFor(0, 0), false)
  assert.equal(await keptFor(pep.clock.now() - 1 + 3_600_000, 0), false)
  assert.equal(await keptFor(pep.clock.now() + 3_600_000 + 5_000, 4_999), true)
  assert.equal(await keptFor(pep.clock.now() + 3_600_000 + 5_000, 5_000), false)
  assert.equal(await keptFor(pep.clock.now() + 3_600_000 + 600_000, 59_999), true)
  assert.equal(await keptFor(pep.clock.now() + 3_600_000 + 600_000, 60_000), false)
})

const sso = (manager: DevelopmentAccessManager, value: string): SsoToken => ({
  value,
  info: { username: 'demo' },
  loginEndpoint: `${manager.url}/`,
  universalId: null,
})
const STEP_UP = { ...ALLOW_GET, condition: { type: 'AuthLevel' as const, authLevel: 3 } }

test('after single sign-on an advice is a redirect, in the encoding of the version, and never cached', async () => {
  for (const [version, decode] of [
    ['7.5.0', (text: string) => Buffer.from(text, 'base64url').toString()],
    ['6.5.0', (text: string) => text],
  ] as const) {
    await using manager = await DevelopmentAccessManager.start({ version })
    manager.putPolicy(STEP_UP)
    await using pep = await enforcing(manager, cached)
    const session = manager.login('demo')
    const { status, headers } = await pep.ask(session, { sso: sso(manager, session) })
    assert.deepEqual([status, headers.get('cache-control')], [307, 'no-store'])
    const location = new URL(headers.get('location') as string)
    assert.equal(location.origin + location.pathname, `${manager.url}/`)
    assert.match(location.searchParams.get('goto') ?? '', /^http:\/\/app\.example\/page\?x=1&_advice=t\w+\.[\w-]{22}$/)
    assert.equal(location.searchParams.get('realm'), '/')
    assert.equal(location.searchParams.get('authIndexType'), 'composite_advice')
    assert.equal(location.searchParams.has('sunamcompositeadvice'), false)
    assert.equal(
      decode(location.searchParams.get('authIndexValue') as string),
      '<Advices><AttributeValuePair><Attribute name="AuthLevelConditionAdvice"/><Value>3</Value></AttributeValuePair></Advices>',
    )
    await pep.ask(session, { sso: sso(manager, session) })
    assert.equal(asked(manager), 2)
  }
})

test('useLegacyAdviceEncoding sends XML to any version', async () => {
  await using manager = await DevelopmentAccessManager.start({ version: '7.5.0' })
  manager.putPolicy(STEP_UP)
  await using pep = await enforcing(manager, { useLegacyAdviceEncoding: true })
  const session = manager.login('demo')
  const { headers } = await pep.ask(session, { sso: sso(manager, session) })
  assert.match(new URL(headers.get('location') as string).searchParams.get('authIndexValue') as string, /^<Advices>/)
})

test('an advice is a header where the client requests it, in the exact form that clients parse', async () => {
  await using manager = await DevelopmentAccessManager.start()
  manager.putPolicy(STEP_UP)
  await using pep = await enforcing(manager)
  const session = manager.login('demo')
  for (const [name, value] of [
    ['X-Authenticate-Response', 'header'],
    ['x-authenticate-response', 'HEADER'],
  ] as const) {
    const { status, headers } = await pep.ask(session, { sso: sso(manager, session), headers: { [name]: value } })
    assert.equal(status, 401)
    assert.equal(
      headers.get('www-authenticate'),
      `SSOADVICE realm="/",advices="${btoa('{"AuthLevelConditionAdvice":["3"]}')}",am_uri="${manager.url}/"`,
    )
  }
  assert.equal(
    (await pep.ask(session, { sso: sso(manager, session), headers: { 'x-authenticate-response': 'x' } })).status,
    307,
  )
})

test('without single sign-on before it an advice is a denial', async () => {
  await using manager = await DevelopmentAccessManager.start()
  manager.putPolicy(STEP_UP)
  await using pep = await enforcing(manager)
  assert.equal((await pep.ask(manager.login('demo'))).status, 403)
})

test('an advice that can not be followed is a denial', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using pep = await enforcing(manager)
  const session = manager.login('demo')
  const advices = { SessionConditionAdvice: ['deny'], '<evil>': ['x'] }
  manager.fail('policies', { status: 200, body: JSON.stringify([{ resource: PAGE, actions: {}, advices }]) })
  assert.equal((await pep.ask(session, { sso: sso(manager, session) })).status, 403)
})

test('a transaction is in the redirect, removed from the returning request, and never cached', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using pep = await enforcing(manager, cached)
  const session = manager.login('demo')
  const advices = { TransactionConditionAdvice: ['6f2c-1'] }
  manager.fail('policies', { status: 200, body: JSON.stringify([{ resource: PAGE, actions: {}, advices, ttl: 0 }]) })
  const { headers } = await pep.ask(session, { sso: sso(manager, session) })
  assert.equal(new URL(headers.get('location') as string).searchParams.get('goto'), `${PAGE}&_txid=6f2c-1`)
  manager.fail('policies', { status: 200, body: JSON.stringify([{ resource: PAGE, actions: { GET: true } }]) })
  const back = await pep.ask(session, { url: `${PAGE}&_txid=6f2c-1`, sso: sso(manager, session) })
  assert.deepEqual([back.status, back.passed?.uri], [200, PAGE])
  assert.deepEqual(JSON.parse(manager.requests('policies').at(-1)?.body ?? '').environment, { TxId: ['6f2c-1'] })
  const before = asked(manager)
  await pep.ask(session, { url: `${PAGE}&_txid=6f2c-1`, sso: sso(manager, session) })
  assert.equal(asked(manager), before + 1)
})

for (const [name, config, message] of [
  ['no subject', { ssoTokenSubject: undefined }, /ssoTokenSubject.*jwtSubject.*claimsSubject/],
  ['claims without sub', { claimsSubject: { name: 'x' } }, /claim .*sub/],
  ['a cache without end', { cache: { maximumTimeToCache: 'unlimited' } }, /limited/],
  ['a cache of no time', { cache: { maximumTimeToCache: '0 s' } }, /more than zero/],
  ['an unknown strategy', { cache: { onNotificationDisconnection: 'CLEAR' } }, /onNotificationDisconnection/],
  [
    'an invalid header name',
    { ssoTokenSubject: '${a}', authenticateResponseRequestHeader: 'a b' },
    /authenticateResponseRequestHeader/,
  ],
] as const) {
  test(`refused: ${name}`, async () => {
    await using manager = await DevelopmentAccessManager.start()
    const given = Object.fromEntries(
      Object.entries({ amService: 'am', ...config }).filter(([, value]) => value !== undefined),
    )
    const around = accessManagerOptions(manager.url, { notifications: { enabled: false } })
    await assert.rejects(
      build(PolicyEnforcementFilter, given as JsonObject, around),
      (error: Error & { problems?: object[] }) => {
        assert.match(JSON.stringify(error.problems), message)
        return true
      },
    )
  })
}
