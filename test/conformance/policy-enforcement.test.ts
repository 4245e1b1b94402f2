// 'PolicyEnforcementFilter', 'Resource URL providers', 'Policy enforcement (subject identification)' and the rows of it under
// 'Errors' of the specification, over a real AmService and an access manager over HTTP and WebSocket.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { PolicyDecisionContext } from '#contracts'
import type { JsonObject } from '#json'
import { PAGE, policy, protectedPages, READERS, singleSignOn } from '#test/protected-pages'

const options = { timeout: 60_000 }
const QUIET = { am: { notifications: { enabled: false } } }
const STEP_UP = { ...READERS, condition: { type: 'AuthLevel' as const, authLevel: 3 } }

/** Pages behind a policy filter, and the session of a user. */
async function pages(config: JsonObject = {}, parts: Parameters<typeof protectedPages>[1] = QUIET) {
  const at = await protectedPages([policy(config)], parts)
  // A notification of this policy must not arrive during the test.
  const received = parts === QUIET || parts?.am !== undefined ? null : at.received('/agent/policy')
  at.manager.putPolicy(READERS)
  await received
  return Object.assign(at, { session: at.manager.login('demo') })
}

const problemsOf = async (config: JsonObject): Promise<string> => {
  try {
    await using _at = await protectedPages([{ type: 'PolicyEnforcementFilter', config }], QUIET)
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

/** A decision of the access manager for a page. */
const decision = (more: JsonObject, resource = PAGE) => ({
  status: 200,
  body: JSON.stringify([{ resource, actions: {}, attributes: {}, advices: {}, ...more }]),
})

describe('PolicyEnforcementFilter: fields', () => {
  test('amService: required', async () => {
    assert.match(await problemsOf({ ssoTokenSubject: 'x' }), /amService.*required/)
  })

  test('pepRealm: the realm of the policy set; by default that of amService', async () => {
    const agents = [{ name: 'ig_agent', password: 'password', realm: '/alpha' }]
    const realms = { manager: { realms: ['/beta'], agents }, am: { ...QUIET.am, realm: '/alpha' } }
    await using own = await pages({}, realms)
    await own.ask('x')
    assert.match(own.manager.requests('policies')[0]?.target ?? '', /\/realms\/root\/realms\/alpha\/policies\?/)
    await using other = await pages({ pepRealm: '/beta' }, realms)
    await other.ask('x')
    assert.match(other.manager.requests('policies')[0]?.target ?? '', /\/realms\/root\/realms\/beta\/policies\?/)
  })

  test('ssoTokenSubject: the session token of the subject, from any part of the message', async () => {
    await using at = await pages({ ssoTokenSubject: "${request.headers['X-Token'][0]}" })
    assert.equal((await at.ask(null, { headers: { 'X-Token': at.session } })).status, 200)
    assert.deepEqual(at.lastDecisionRequest['subject'], { ssoToken: at.session })
  })

  test('ssoTokenSubject: after a SingleSignOnFilter ${contexts.ssoToken.value}', async () => {
    await using at = await protectedPages(
      [singleSignOn(), policy({ ssoTokenSubject: '${contexts.ssoToken.value}' })],
      QUIET,
    )
    at.manager.putPolicy(READERS)
    const session = at.manager.login('demo')
    assert.equal((await at.ask(session)).status, 200)
    assert.deepEqual(at.lastDecisionRequest['subject'], { ssoToken: session })
  })

  test('jwtSubject: the JWT of the subject', async () => {
    await using at = await protectedPages(
      [{ type: 'PolicyEnforcementFilter', config: { amService: 'am', jwtSubject: '${request.headers.Jwt[0]}' } }],
      QUIET,
    )
    await at.ask(null, { headers: { Jwt: 'a.b.c' } })
    assert.deepEqual(at.lastDecisionRequest['subject'], { jwt: 'a.b.c' })
  })

  test('claimsSubject: a map of claims, or an expression for it; other claims are optional', async () => {
    for (const [claimsSubject, claims] of [
      [
        { sub: '${request.method}', list: ['${request.method}', 'x'], deep: { of: '${1 + 1}' } },
        { sub: 'GET', list: ['GET', 'x'], deep: { of: 2 } },
      ],
      ['${attributes.claims}', { sub: 'demo', role: ['a'] }],
    ] as const) {
      const claimed = { type: 'PolicyEnforcementFilter', config: { amService: 'am', claimsSubject } }
      const assigned = { target: '${attributes.claims}', value: { sub: 'demo', role: ['a'] } }
      const assigning = { type: 'AssignmentFilter', config: { onRequest: [assigned] } }
      await using at = await protectedPages([assigning, claimed] as unknown as JsonObject[], QUIET)
      await at.ask(null)
      assert.deepEqual(at.lastDecisionRequest['subject'], { claims })
    }
  })

  test('claimsSubject: sub must be present', async () => {
    assert.match(await problemsOf({ amService: 'am', claimsSubject: { name: 'x' } }), /claimsSubject.*"sub"/)
    for (const sub of ['${attributes.nothing}', '${1 + 1}', '']) {
      await using at = await protectedPages(
        [{ type: 'PolicyEnforcementFilter', config: { amService: 'am', claimsSubject: { sub } } }],
        QUIET,
      )
      assert.equal((await at.ask(null)).status, 403)
      assert.equal(at.decisionRequestCount, 0)
    }
  })

  test('one of the three subjects is required', async () => {
    assert.match(await problemsOf({ amService: 'am' }), /ssoTokenSubject, jwtSubject.*claimsSubject/)
  })

  test('application: the policy set; by default that of the access manager', async () => {
    await using own = await pages()
    assert.equal((await own.ask(own.session)).status, 200)
    assert.equal('application' in own.lastDecisionRequest, false)
    await using named = await pages({ application: 'PEP' })
    named.manager.putPolicy({ ...READERS, applicationName: 'PEP' })
    assert.equal((await named.ask(named.session)).status, 200)
    assert.equal(named.lastDecisionRequest['application'], 'PEP')
  })

  test('cache: by default decisions are not cached', async () => {
    await using at = await pages()
    await at.ask(at.session)
    await at.ask(at.session)
    assert.equal(at.decisionRequestCount, 2)
  })

  test('cache: decisions that contain advices are never cached', async () => {
    await using at = await pages({ cache: { enabled: true } })
    at.manager.putPolicy(STEP_UP)
    await at.ask(at.session)
    await at.ask(at.session)
    at.manager.fail('policies', decision({ actions: { GET: true }, advices: { Any: ['x'] } }))
    assert.equal((await at.ask(at.session)).status, 200)
    assert.equal((await at.ask(at.session)).status, 200)
    assert.equal(at.decisionRequestCount, 4)
  })

  test('environment: a map of values and expressions, or an expression for a map', async () => {
    const environment = {
      ip: '${contexts.client.remoteAddress}',
      headers: "${request.headers['Via']}",
      null: '${attributes.nothing}',
      plain: ['a', 1, true],
    }
    await using map = await pages({ environment } as unknown as JsonObject)
    await map.ask(map.session, { headers: { Via: ['1', '2'] } })
    assert.deepEqual(map.lastDecisionRequest['environment'], {
      ip: ['127.0.0.1'],
      headers: ['1', '2'],
      plain: ['a', '1', 'true'],
    })
    await using whole = await pages({ environment: '${request.queryParams}' })
    await whole.ask(whole.session)
    assert.deepEqual(whole.lastDecisionRequest['environment'], { x: ['1'] })
  })

  test('failureHandler: handles a denied request, with contexts.policyDecision.advices', async () => {
    const failureHandler = {
      type: 'StaticResponseHandler',
      config: { status: 418, entity: "level ${contexts.policyDecision.advices['AuthLevelConditionAdvice'][0]}" },
    }
    await using at = await pages({ failureHandler })
    at.manager.putPolicy(STEP_UP)
    const { status, text } = await at.ask(at.session)
    assert.deepEqual([status, text, at.passed], [418, 'level 3', null])
  })

  test('resourceUriProvider: by default the request URI with all query parameters', async () => {
    await using at = await pages()
    await at.ask(at.session, { url: 'http://app.example/a%20b?z=1&a=%2F' })
    assert.deepEqual(at.lastDecisionRequest['resources'], ['http://app.example/a%20b?z=1&a=%2F'])
  })

  test('authenticateResponseRequestHeader: x-authenticate-response by default; name and value without regard to case', async () => {
    for (const [config, name, value, status] of [
      [{}, 'x-authenticate-response', 'HEADER', 401],
      [{}, 'X-AUTHENTICATE-RESPONSE', 'Header', 401],
      [{}, 'X-Authenticate-Response', 'redirect', 307],
      [{}, 'X-Authenticate-Response', '', 307],
      [{ authenticateResponseRequestHeader: 'X-How' }, 'x-how', 'header', 401],
      [{ authenticateResponseRequestHeader: 'X-How' }, 'x-authenticate-response', 'HEADER', 307],
    ] as const) {
      await using at = await protectedPages([singleSignOn(), policy(config)], QUIET)
      at.manager.putPolicy(STEP_UP)
      const answer = await at.ask(at.manager.login('demo'), { headers: { [name]: value } })
      assert.deepEqual([answer.status, answer.cacheControl], [status, 'no-store'])
      const advices = btoa('{"AuthLevelConditionAdvice":["3"]}')
      if (status === 401)
        assert.equal(answer.challenge, `SSOADVICE realm="/",advices="${advices}",am_uri="${at.manager.url}/"`)
    }
  })

  test('useLegacyAdviceEncoding: advices are not encoded; deprecated', async () => {
    await using at = await protectedPages([singleSignOn(), policy({ useLegacyAdviceEncoding: true })], QUIET)
    at.manager.putPolicy(STEP_UP)
    const { location } = await at.ask(at.manager.login('demo'))
    assert.match(location?.searchParams.get('authIndexValue') ?? '', /^<Advices>/)
    assert.match(JSON.stringify(at.built.warnings), /useLegacyAdviceEncoding/)
  })

  test('attributes and advices of a decision are stored in the policyDecision context', async () => {
    await using at = await pages()
    at.manager.putPolicy({
      ...READERS,
      resourceAttributes: [{ type: 'Static', propertyName: 'team', propertyValues: ['a', 'b'] }],
    })
    await at.ask(at.session)
    const known = at.passed?.context(PolicyDecisionContext)
    assert.deepEqual({ ...known?.attributes }, { team: ['a', 'b'] })
    assert.deepEqual({ ...known?.advices }, {})
  })
})

describe('PolicyEnforcementFilter: cache fields', () => {
  const cached = (more: JsonObject = {}) => ({ cache: { enabled: true, ...more } })

  /** Whether a decision with that ttl is cached for exactly this time. */
  async function isKeptFor(config: JsonObject, ttl: number | undefined, milliseconds: number): Promise<boolean> {
    await using at = await pages(config)
    const until = ttl === undefined ? {} : { ttl: at.clock.now() + ttl }
    at.manager.fail('policies', decision({ actions: { GET: true }, ...until }))
    await at.ask(at.session)
    at.clock.advance(milliseconds - 1)
    await at.ask(at.session)
    const before = at.decisionRequestCount
    at.clock.advance(1)
    await at.ask(at.session)
    return before === 1 && at.decisionRequestCount === 2
  }

  test('enabled: false by default', async () => {
    await using at = await pages({ cache: {} })
    await at.ask(at.session)
    await at.ask(at.session)
    assert.equal(at.decisionRequestCount, 2)
  })

  test('defaultTimeout: 1 minute by default, if the decision has no valid ttl', async () => {
    assert.ok(await isKeptFor(cached(), undefined, 60_000))
    assert.ok(await isKeptFor(cached({ defaultTimeout: '2 minutes' }), undefined, 120_000))
  })

  test('a decision is cached until its ttl; an expired one is not cached', async () => {
    assert.ok(await isKeptFor(cached(), 90_000, 90_000))
    await using at = await pages(cached())
    for (const ttl of [0, at.clock.now() - 1]) {
      at.manager.fail('policies', decision({ actions: { GET: true }, ttl }))
      const before = at.decisionRequestCount
      await at.ask(at.session)
      await at.ask(at.session)
      assert.equal(at.decisionRequestCount - before, 2)
    }
  })

  test('maximumTimeToCache: limits a later ttl', async () => {
    const config = cached({ maximumTimeToCache: '10 s' })
    assert.ok(await isKeptFor(config, 3_600_000, 10_000))
    assert.ok(await isKeptFor(config, undefined, 10_000))
    assert.ok(await isKeptFor(config, 5_000, 5_000))
  })

  test('Decision cache, maximumTimeToCache: can not be zero or unlimited', async () => {
    for (const [maximumTimeToCache, expected] of [
      ['zero', /maximumTimeToCache: expected a duration of more than zero, got "zero"/],
      ['unlimited', /maximumTimeToCache: expected a limited duration, got "unlimited"/],
    ] as const)
      assert.match(await problemsOf({ amService: 'am', ssoTokenSubject: 'x', cache: { maximumTimeToCache } }), expected)
  })

  test('maximumSize: the maximum of entries, of which each unit gets an even share', async () => {
    await using at = await pages(cached({ maximumSize: 4 }), { ...QUIET, units: 2 })
    for (const x of [1, 2, 3, 3, 2, 1]) await at.ask(at.session, { url: `http://app.example/page?x=${x}` })
    assert.equal(at.decisionRequestCount, 4)
    assert.equal(at.built.metrics.values.get('gw_cache_entries'), 2)
  })

  test('onNotificationDisconnection: one of three values', async () => {
    const cache = { onNotificationDisconnection: 'CLEAR' }
    assert.match(await problemsOf({ amService: 'am', ssoTokenSubject: 'x', cache }), /NEVER_CLEAR/)
  })

  test('B59: never shared between subjects, environments, policy sets and realms', async () => {
    const environment = { h: "${request.headers['H'][0]}" }
    await using at = await protectedPages(
      [
        policy({ ...cached(), environment, application: 'one' }),
        policy({ ...cached(), environment, application: 'two' }),
        policy({ ...cached(), environment, application: 'two', pepRealm: '/alpha' }),
      ],
      { ...QUIET, manager: { realms: ['/alpha'] } },
    )
    at.manager.fail('policies', decision({ actions: { GET: true } }))
    const [one, two] = [at.manager.login('demo'), at.manager.login('demo')]
    for (let attempt = 0; attempt < 3; attempt += 1)
      for (const [session, headers] of [
        [one, {}],
        [two, {}],
        [one, { H: '1' }],
      ] as const)
        assert.equal((await at.ask(session, { headers: headers as Record<string, string> })).status, 200)
    assert.equal(at.decisionRequestCount, 9)
  })
})

describe('Resource URL providers', () => {
  const by = (type: string, config: JsonObject) => ({
    cache: { enabled: true },
    resourceUriProvider: { type, config },
  })
  const urls = ['http://app.example/p?a=1&b=2', 'http://app.example/p?b=2&a=1', 'http://app.example/p?a=1&b=3']

  test('RequestResourceUriProvider: with query parameters, each combination has its own decision', async () => {
    await using at = await pages(by('RequestResourceUriProvider', { includeQueryParams: true }))
    for (const url of [...urls, ...urls]) await at.ask(at.session, { url })
    assert.equal(at.decisionRequestCount, 3)
  })

  test('RequestResourceUriProvider: without, they share one cached decision', async () => {
    await using at = await pages(by('RequestResourceUriProvider', { includeQueryParams: false }))
    for (const url of urls) assert.equal((await at.ask(at.session, { url })).status, 200)
    assert.equal(at.decisionRequestCount, 1)
    assert.deepEqual(at.lastDecisionRequest['resources'], ['http://app.example/p'])
  })

  const script = (source: string) => by('ScriptableResourceUriProvider', { type: 'application/javascript', source })

  test('ScriptableResourceUriProvider: the script returns the resource URL; chosen parameters are kept', async () => {
    await using at = await pages(script("return String(request.uri).split('?')[0] + '?a=' + request.queryParams.a[0]"))
    for (const url of urls) assert.equal((await at.ask(at.session, { url })).status, 200)
    assert.equal(at.decisionRequestCount, 1)
    assert.deepEqual(at.lastDecisionRequest['resources'], ['http://app.example/p?a=1'])
  })

  test('ScriptableResourceUriProvider: a result other than a string is an internal error, and no decision is requested', async () => {
    for (const source of ['return null', 'return 1', 'throw new Error()']) {
      await using at = await pages(script(source))
      await assert.rejects(at.ask(at.session))
      assert.deepEqual([at.decisionRequestCount, at.passed], [0, null])
    }
  })
})

describe('Policy enforcement: advices', () => {
  const ADVICES = [
    ['AuthLevel', 'AuthLevelConditionAdvice', '3'],
    ['AuthenticateToService', 'AuthenticateToServiceConditionAdvice', '/:Strong & <safe>'],
    ['AuthenticateToRealm', 'AuthenticateToRealmConditionAdvice', '/alpha'],
    ['AuthScheme', 'AuthSchemeConditionAdvice', 'DataStore'],
    ['Transaction', 'TransactionConditionAdvice', '6f2c0b1e-1'],
  ] as const

  for (const [type, name, value] of ADVICES) {
    test(`${type}: behind single sign-on a redirect, or a header`, async () => {
      await using at = await protectedPages([singleSignOn(), policy()], QUIET)
      const session = at.manager.login('demo')
      at.manager.fail('policies', decision({ advices: { [name]: [value] }, ttl: 0 }))
      const redirect = await at.ask(session)
      assert.deepEqual([redirect.status, redirect.cacheControl, at.passed], [307, 'no-store', null])
      const asked = redirect.location?.searchParams
      const xml = Buffer.from(asked?.get('authIndexValue') ?? '', 'base64url').toString()
      const escaped = value.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;')
      assert.equal(
        xml,
        `<Advices><AttributeValuePair><Attribute name="${name}"/><Value>${escaped}</Value></AttributeValuePair></Advices>`,
      )
      assert.deepEqual(
        [
          asked?.get('authIndexType'),
          asked?.get('realm'),
          asked?.get('goto')?.replace(/&_advice=t\w+\.[\w-]{22}$/, ''),
        ],
        ['composite_advice', '/', type === 'Transaction' ? `${PAGE}&_txid=${value}` : PAGE],
      )
      const header = await at.ask(session, { headers: { 'X-Authenticate-Response': 'header' } })
      const encoded = Buffer.from(JSON.stringify({ [name]: [value] })).toString('base64')
      assert.deepEqual(
        [header.status, header.challenge],
        [401, `SSOADVICE realm="/",advices="${encoded}",am_uri="${at.manager.url}/"`],
      )
    })
  }

  for (const [type, name, value] of ADVICES) {
    const row =
      'A policy decision carries advices and no SingleSignOnFilter or CrossDomainSingleSignOnFilter precedes the policy filter'
    test(`${row}: 403, ${type}`, async () => {
      await using alone = await pages()
      alone.manager.fail('policies', decision({ advices: { [name]: [value] } }))
      for (const headers of [{}, { 'X-Authenticate-Response': 'HEADER' }]) {
        const denied = await alone.ask(alone.session, { headers: headers as Record<string, string> })
        assert.deepEqual(
          [denied.status, denied.challenge, denied.location, denied.cacheControl],
          [403, null, null, 'no-store'],
        )
      }
    })
  }

  test('an advice of another type denies the request', async () => {
    await using at = await protectedPages([singleSignOn(), policy()], QUIET)
    at.manager.fail('policies', decision({ advices: { SessionConditionAdvice: ['deny'] } }))
    assert.equal((await at.ask(at.manager.login('demo'))).status, 403)
  })

  test('Transaction: _txid is removed from the request, used once, and sent with the decision request', async () => {
    await using at = await protectedPages([singleSignOn(), policy({ cache: { enabled: true } })], QUIET)
    at.manager.fail('policies', decision({ actions: { GET: true } }))
    const session = at.manager.login('demo')
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      assert.equal((await at.ask(session, { url: `${PAGE}&_txid=6f2c` })).status, 200)
      assert.equal(at.passed?.request.uri.toString(), PAGE)
      assert.deepEqual(at.lastDecisionRequest['resources'], [PAGE])
      assert.deepEqual(at.lastDecisionRequest['environment'], { TxId: ['6f2c'] })
      assert.equal(at.decisionRequestCount, attempt)
    }
    // The decision for the transaction is not cached for the page.
    await at.ask(session)
    assert.equal('environment' in at.lastDecisionRequest, false)
    assert.equal(at.decisionRequestCount, 4)
  })

  test('Transaction: a malformed id is removed and not sent', async () => {
    await using at = await protectedPages([singleSignOn(), policy()], QUIET)
    at.manager.putPolicy(READERS)
    const session = at.manager.login('demo')
    for (const query of ['&_txid=', '&_txid', '&_txid=a&_txid=b', `&_txid=${'a'.repeat(300)}`, '&_txid=%3Cx']) {
      assert.equal((await at.ask(session, { url: PAGE + query })).status, 200)
      assert.equal(at.passed?.request.uri.toString(), PAGE)
      assert.equal('environment' in at.lastDecisionRequest, false)
    }
  })
})

describe('Errors', () => {
  test('policy decision denies the request: 403 by default, and the request stops', async () => {
    await using at = await pages()
    for (const method of ['POST', 'DELETE', 'get', 'toString']) {
      const { status, cacheControl } = await at.ask(at.session, { method })
      assert.deepEqual([status, cacheControl, at.passed], [403, 'no-store', null])
    }
    assert.equal((await at.ask(at.session, { url: 'http://app.example.evil/page' })).status, 403)
  })

  test('decisions: access manager unreachable or 5xx: 503 with Retry-After, never granted', options, async () => {
    await using at = await pages()
    for (const status of [500, 502, 503]) {
      at.manager.fail('policies', { status })
      const answer = await at.ask(at.session)
      assert.deepEqual([answer.status, answer.retryAfter, answer.cacheControl], [503, '5', 'no-store'])
      assert.equal(at.passed, null)
    }
    await at.manager.close()
    assert.equal((await at.ask(at.session)).status, 503)
  })

  for (const [name, fault, status] of [
    ['the subject is refused', { status: 400 }, 403],
    ['the agent session is dead', { status: 401 }, 500],
    ['the agent may not ask', { status: 403 }, 500],
    ['the policy set is not known', { status: 404 }, 500],
    ['a redirect', { status: 302 }, 503],
    ['no JSON', { status: 200, body: '<html>' }, 503],
    ['a decision about another resource', decision({ actions: { GET: true } }, 'http://app.example/'), 500],
    ['actions that are no booleans', decision({ actions: { GET: 'true', POST: 1 } }), 403],
  ] as const) {
    test(`B62: ${name}: ${status}, never granted`, options, async () => {
      await using at = await pages()
      await at.ask(at.session)
      at.manager.fail('policies', fault)
      assert.equal((await at.ask(at.session)).status, status)
      assert.equal(at.passed, null)
      const log = at.built.log.lines.join('\n')
      assert.match(log, status === 403 && !('body' in fault) ? /refuses the subject \(400\)/ : /./)
      assert.equal(log.includes(at.session), false)
    })
  }

  test('an expired agent session is renewed without an error for the user', options, async () => {
    await using at = await pages()
    assert.equal((await at.ask(at.session)).status, 200)
    at.manager.expireAgentSessions()
    assert.equal((await at.ask(at.session)).status, 200)
  })
})

describe('Events: notifications', () => {
  const cached = { cache: { enabled: true, maximumTimeToCache: '1 hour', defaultTimeout: '1 hour' } }

  test('B56: a policy that is updated, deleted or created evicts the decisions of its set', options, async () => {
    await using at = await pages(cached, {})
    const changes: readonly [() => unknown, number][] = [
      [() => at.manager.putPolicy({ ...READERS, actionValues: { GET: false } }), 403],
      [() => at.manager.putPolicy(READERS), 200],
      [() => at.manager.removePolicy(READERS.name), 403],
      [() => at.manager.putPolicy({ ...READERS, name: 'new' }), 200],
    ]
    assert.equal((await at.ask(at.session)).status, 200)
    for (const [change, status] of changes) {
      const received = at.received('/agent/policy')
      change()
      await received
      assert.equal((await at.ask(at.session)).status, status)
      assert.equal((await at.ask(at.session)).status, status)
    }
    assert.equal(at.decisionRequestCount, 5)
  })

  test(
    'decisions of other policy sets and realms stay; a notification without a set is about the whole realm',
    options,
    async () => {
      await using at = await pages({ ...cached, application: 'PEP' }, {})
      at.manager.putPolicy({ ...READERS, applicationName: 'PEP' })
      await at.ask(at.session)
      for (const [body, evicts] of [
        [{ realm: '/', policySet: 'other' }, false],
        [{ realm: '/alpha', policySet: 'PEP' }, false],
        [{ realm: '/', policySet: 'PEP' }, true],
        [{ realm: '/', policySet: 'pep' }, true],
        [{ realm: '/' }, true],
        [{ realm: '/', policySet: null }, true],
        [{}, true],
      ] as const) {
        const received = at.received('/agent/policy')
        at.manager.publish('/agent/policy', { policy: 'p', eventType: 'UPDATE', ...body })
        await received
        const before = at.decisionRequestCount
        await at.ask(at.session)
        assert.equal(at.decisionRequestCount - before, evicts ? 1 : 0, JSON.stringify(body))
      }
    },
  )

  test('without application, any policy set of the realm may be the default one', options, async () => {
    await using at = await pages(cached, {})
    await at.ask(at.session)
    const received = at.received('/agent/policy')
    at.manager.publish('/agent/policy', { realm: '/', policy: 'p', policySet: 'MyDefault', eventType: 'UPDATE' })
    await received
    await at.ask(at.session)
    assert.equal(at.decisionRequestCount, 2)
  })

  test('B56: a session that ends evicts its decisions, and no others', options, async () => {
    const users = ['demo', 'other'].map((name) => ({ name, password: 'changeit' }))
    await using at = await pages(cached, { manager: { users } })
    const other = at.manager.login('other')
    await at.ask(at.session)
    await at.ask(other)
    const received = at.received('/agent/session')
    at.manager.endSession(at.session)
    await received
    assert.equal((await at.ask(at.session)).status, 403)
    assert.equal((await at.ask(other)).status, 200)
    assert.equal(at.decisionRequestCount, 3)
  })

  test('B57: a policy that changes during a decision request leaves no cached decision', options, async () => {
    await using at = await pages(cached, {})
    const held = at.manager.hold('policies')
    const asking = at.ask(at.session)
    await held.arrived
    const received = at.received('/agent/policy')
    at.manager.removePolicy(READERS.name)
    await received
    held.release()
    assert.equal((await asking).status, 403)
    assert.equal((await at.ask(at.session)).status, 403)
  })

  test('B61: two hundred concurrent requests cause one decision request', options, async () => {
    await using at = await pages(cached, {})
    const answers = await Promise.all(Array.from({ length: 200 }, () => at.ask(at.session)))
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
    assert.equal(at.decisionRequestCount, 1)
  })
})

describe('B58: cache behaviour on loss of the notification service', () => {
  type Outcome = 'passes, kept' | 'denied' | 'asked, then kept'
  const connected = { cached: 'passes, kept', uncached: 'asked, then kept', expired: 'asked, then kept' } as const
  const kept = { cached: 'passes, kept', uncached: 'denied', expired: 'denied' } as const
  const denied = { cached: 'denied', uncached: 'denied', expired: 'denied' } as const
  const refreshed = { cached: 'asked, then kept', uncached: 'asked, then kept', expired: 'asked, then kept' } as const
  const table: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, Outcome>>>>>> = {
    NEVER_CLEAR: { connected, disconnected: kept, reconnected: connected },
    CLEAR_ON_DISCONNECT: { connected, disconnected: denied, reconnected: refreshed },
    CLEAR_ON_RECONNECT: { connected, disconnected: kept, reconnected: refreshed },
  }
  const cache = (strategy: string) => ({
    cache: { enabled: true, maximumTimeToCache: '1 minute', onNotificationDisconnection: strategy },
  })
  for (const [strategy, states] of Object.entries(table)) {
    for (const [state, entries] of Object.entries(states)) {
      for (const [entry, outcome] of Object.entries(entries)) {
        test(`${strategy}, ${state}, ${entry}: ${outcome}`, options, async () => {
          await using at = await pages(cache(strategy), {})
          if (entry !== 'uncached') assert.equal((await at.ask(at.session)).status, 200)
          if (state !== 'connected') await at.disconnect()
          if (entry === 'expired') at.clock.advance(60_000)
          if (state === 'reconnected') await at.reconnect()
          const before = at.decisionRequestCount
          const seen = [await at.ask(at.session), await at.ask(at.session)]
          assert.equal(at.decisionRequestCount - before, outcome === 'asked, then kept' ? 1 : 0)
          const status = outcome === 'denied' ? 503 : 200
          assert.deepEqual(
            seen.map((answer) => answer.status),
            [status, status],
          )
          if (outcome === 'denied') assert.deepEqual([seen[0]?.retryAfter, seen[0]?.cacheControl], ['5', 'no-store'])
        })
      }
    }
    test(`${strategy}: a transaction does not bypass it`, options, async () => {
      await using at = await pages(cache(strategy), {})
      await at.disconnect()
      assert.equal((await at.ask(at.session, { url: `${PAGE}&_txid=6f2c` })).status, 503)
      assert.equal(at.decisionRequestCount, 0)
    })
  }

  test(
    'Cache notification service disconnected, with a strategy that denies uncached requests: 503, by default',
    options,
    async () => {
      await using at = await pages({ cache: { enabled: true } }, {})
      assert.equal((await at.ask(at.session)).status, 200)
      await at.disconnect()
      assert.equal((await at.ask(at.session)).status, 503)
    },
  )

  test('without cache, and without notifications, it has no effect', options, async () => {
    await using uncached = await pages({}, {})
    await uncached.disconnect()
    assert.equal((await uncached.ask(uncached.session)).status, 200)
    await using quiet = await pages(cache('CLEAR_ON_DISCONNECT'))
    assert.equal((await quiet.ask(quiet.session)).status, 200)
    assert.equal((await quiet.ask(quiet.session)).status, 200)
    assert.equal(quiet.decisionRequestCount, 1)
  })
})
