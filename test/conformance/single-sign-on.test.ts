// SingleSignOnFilter and CrossDomainSingleSignOnFilter of the specification and the decisions, and the contexts from which a
// PolicyEnforcementFilter behind them reads the subject.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { CdssoContext, SsoTokenContext } from '#contracts'
import { parseSetCookie } from '#http'
import type { JsonObject } from '#json'
import { PAGE, policy, protectedPages, READERS, singleSignOn } from '#test/protected-pages'

const options = { timeout: 60_000 }
const QUIET = { am: { notifications: { enabled: false } } }
const MARKED = /^http:\/\/app\.example\/page\?x=1&_ig=t[0-9a-z]+$/

describe('SingleSignOnFilter', () => {
  test('no session: 302 to the access manager with goto and realm', async () => {
    await using at = await protectedPages([singleSignOn()], QUIET)
    for (const session of [null, 'nonsense', '', '"', 'a b', 'x'.repeat(20_000)]) {
      const { status, location, cacheControl, cookies } = await at.ask(session)
      assert.deepEqual([status, cacheControl, cookies, at.passed], [302, 'no-store', [], null])
      assert.equal(`${location?.origin}${location?.pathname}`, `${at.manager.url}/`)
      assert.match(location?.searchParams.get('goto') ?? '', MARKED)
      assert.equal(location?.searchParams.get('realm'), '/')
    }
  })

  test('a session: contexts.ssoToken has value, info, loginEndpoint and universalId', async () => {
    await using at = await protectedPages([singleSignOn()], QUIET)
    const session = at.manager.login('demo')
    assert.equal((await at.ask(session)).status, 200)
    const sso = at.passed?.context(SsoTokenContext)
    assert.deepEqual(
      [sso?.value, sso?.info['username'], sso?.info['realm'], sso?.loginEndpoint],
      [session, 'demo', '/', `${at.manager.url}/`],
    )
    assert.match(sso?.universalId ?? '', /^id=demo,/)
  })

  for (const family of ['pingam', 'openam'] as const) {
    for (const unknownSession of ['invalid', 'unauthorized', 'not-found'] as const) {
      test(`${family}, unknown sessions are "${unknownSession}": not logged in`, async () => {
        await using at = await protectedPages([singleSignOn()], { ...QUIET, manager: { family, unknownSession } })
        assert.equal((await at.ask('unknown')).status, 302)
        assert.equal((await at.ask(at.manager.login('demo'))).status, 200)
      })
    }
  }

  test('authenticationService: the journey', async () => {
    await using at = await protectedPages([singleSignOn({ authenticationService: 'Strong' })], QUIET)
    const { location } = await at.ask(null)
    assert.equal(location?.searchParams.get('authIndexType'), 'service')
    assert.equal(location?.searchParams.get('authIndexValue'), 'Strong')
  })

  test('loginEndpoint: replaces the base URL; its goto and realm are preserved', async () => {
    const loginEndpoint =
      'https://login.example/XUI/?goto=${urlEncodeQueryParameterNameOrValue(contexts.router.originalUri)}&realm=/alpha#login'
    await using at = await protectedPages([singleSignOn({ loginEndpoint })], QUIET)
    const { location } = await at.ask(null)
    assert.equal(`${location?.origin}${location?.pathname}${location?.hash}`, 'https://login.example/XUI/#login')
    assert.deepEqual(
      [location?.searchParams.getAll('goto'), location?.searchParams.getAll('realm')],
      [[PAGE], ['/alpha']],
    )
  })

  test('redirectionMarker: a browser that returns without a session is not redirected again', async () => {
    await using at = await protectedPages([singleSignOn()], QUIET)
    const { location } = await at.ask(null)
    const back = location?.searchParams.get('goto') as string
    for (const session of [null, 'nonsense']) {
      const { status, cacheControl, text } = await at.ask(session, { url: back })
      assert.deepEqual([status, cacheControl], [403, 'no-store'])
      assert.match(text, /iPlanetDirectoryPro/)
    }
    assert.equal((await at.ask(at.manager.login('demo'), { url: back })).status, 200)
    assert.equal(at.passed?.request.uri.toString(), PAGE)
  })

  test('redirectionMarker: enabled and name', async () => {
    await using named = await protectedPages([singleSignOn({ redirectionMarker: { name: 'm' } })], QUIET)
    assert.match((await named.ask(null)).location?.searchParams.get('goto') ?? '', /&m=t[0-9a-z]+$/)
    await using off = await protectedPages([singleSignOn({ redirectionMarker: { enabled: false } })], QUIET)
    assert.equal((await off.ask(null)).location?.searchParams.get('goto'), PAGE)
  })

  test('logoutExpression: the session ends at the access manager, the cookie is deleted, then a redirect to the landing page', async () => {
    const config = { logoutExpression: "${request.uri.path == '/out'}", defaultLogoutLandingPage: '/bye' }
    await using at = await protectedPages([singleSignOn(config)], QUIET)
    const session = at.manager.login('demo')
    const { status, location, cookies, cacheControl } = await at.ask(session, { url: 'http://app.example/out' })
    assert.deepEqual([status, location?.pathname, cacheControl], [302, '/bye', 'no-store'])
    const [gone] = cookies.map(parseSetCookie)
    assert.deepEqual([gone?.name, gone?.value, gone?.maxAge, gone?.path], ['iPlanetDirectoryPro', '', 0, '/'])
    assert.equal(at.manager.endSession(session), false)
    assert.equal((await at.ask(session)).status, 302)
    assert.equal((await at.ask(null, { url: 'http://app.example/out' })).location?.pathname, '/bye')
  })

  test('logoutExpression can exclude requests of other sites', async () => {
    const logoutExpression = "${request.uri.path == '/out' && request.headers['Sec-Fetch-Site'][0] != 'cross-site'}"
    await using at = await protectedPages([singleSignOn({ logoutExpression })], QUIET)
    const session = at.manager.login('demo')
    const url = 'http://app.example/out'
    await at.ask(session, { url, headers: { 'Sec-Fetch-Site': 'cross-site' } })
    assert.equal((await at.ask(session)).status, 200)
    await at.ask(session, { url })
    assert.equal((await at.ask(session)).status, 302)
  })

  test('logoutExpression: the session ends immediately, although it is cached and no notification arrives', async () => {
    const config = { logoutExpression: "${request.uri.path == '/out'}", defaultLogoutLandingPage: '/bye' }
    const am = { ...QUIET.am, sessionCache: { enabled: true, maximumTimeToCache: '1 hour' } }
    await using at = await protectedPages([singleSignOn(config)], { am })
    const session = at.manager.login('demo')
    for (const status of [200, 200]) assert.equal((await at.ask(session)).status, status)
    await at.ask(session, { url: 'http://app.example/out' })
    assert.equal((await at.ask(session)).status, 302)
  })

  test('logoutExpression that fails or is null: no logout', async () => {
    for (const logoutExpression of ['${attributes.nothing}', '${request.headers.X[0] + 1}']) {
      await using at = await protectedPages([singleSignOn({ logoutExpression })], QUIET)
      const session = at.manager.login('demo')
      assert.equal((await at.ask(session, { headers: { X: 'x' } })).status, 200)
      assert.equal(at.manager.endSession(session), true)
    }
  })

  test('F11: access manager down, 5xx or invalid responses: 503, never granted', options, async () => {
    await using at = await protectedPages([singleSignOn()], QUIET)
    const session = at.manager.login('demo')
    for (const fault of [
      { status: 500 },
      { status: 200, body: '<html>' },
      { status: 200, body: '{}' },
      { status: 302 },
    ]) {
      at.manager.fail('sessions', fault)
      const { status } = await at.ask(session)
      assert.ok(status === 503 || status === 302, `${status}`)
      assert.equal(at.passed, null)
    }
    await at.manager.close()
    const { status, retryAfter, cacheControl } = await at.ask(session)
    assert.deepEqual([status, retryAfter, cacheControl], [503, '5', 'no-store'])
  })

  test('sessionCache: one lookup for many requests; an ended session is evicted immediately', options, async () => {
    await using at = await protectedPages([singleSignOn()], { am: { sessionCache: { enabled: true } } })
    const session = at.manager.login('demo')
    for (let attempt = 0; attempt < 5; attempt += 1) assert.equal((await at.ask(session)).status, 200)
    assert.equal(at.manager.requests('sessions').length, 1)
    const received = at.received('/agent/session')
    at.manager.endSession(session)
    await received
    assert.equal((await at.ask(session)).status, 302)
  })

  test('B64: goto is the URL of the request, on its own origin, for any path', async () => {
    await using at = await protectedPages([singleSignOn()], QUIET)
    const corpus = new URL('../../../shared/corpora/url/openredirects.txt', import.meta.url)
    const lines = linesOf(corpus)
    for (const line of ['//evil.example', '/\\evil.example', '/@evil.example', ...lines]) {
      const url = `http://app.example/${encodeURI(line).replace(/[?#].*/s, '')}`
      if (!URL.canParse(url)) continue
      const { location } = await at.ask(null, { url })
      const goto = new URL(location?.searchParams.get('goto') ?? '')
      assert.equal(`${goto.protocol}//${goto.host}`, 'http://app.example', line)
      assert.equal(location?.origin, new URL(at.manager.url).origin)
    }
  })

  test('B64: hosts in other headers than Host have no effect', async () => {
    await using at = await protectedPages([singleSignOn()], QUIET)
    const headers = { 'X-Forwarded-Host': 'evil.example', Forwarded: 'host=evil.example', 'X-Original-Host': 'evil' }
    assert.match((await at.ask(null, { headers })).location?.searchParams.get('goto') ?? '', MARKED)
  })
})

/** The lines of a corpus beside the repository; empty if it is missing. */
function linesOf(file: URL): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').slice(0, 2_000).filter(Boolean)
  } catch {
    return []
  }
}

describe('CrossDomainSingleSignOnFilter', () => {
  const SITE = 'https://app.example'
  const REDIRECT = `${SITE}/redirect`
  const agents = [{ name: 'ig_agent', password: 'password', redirectUris: [REDIRECT] }]
  const crossDomain = (config: JsonObject = {}): JsonObject => ({
    type: 'CrossDomainSingleSignOnFilter',
    config: { amService: 'am', redirectEndpoint: '/redirect', ...config },
  })
  const readers = { ...READERS, resources: [`${SITE}/*`, `${SITE}/*?*`] }

  /** Logs in as a browser does; returns its cookies. */
  async function loggedIn(at: Awaited<ReturnType<typeof protectedPages>>) {
    const session = at.manager.login('demo')
    const begun = await at.ask(null, { url: `${SITE}/page` })
    const page = await (
      await fetch(begun.location as URL, { headers: { Cookie: `iPlanetDirectoryPro=${session}` } })
    ).text()
    const inputs = [...page.matchAll(/<input[^>]*name="([^"]*)"[^>]*value="([^"]*)"/g)]
    const body = new URLSearchParams(inputs.map(([, name = '', value = '']) => [name, value])).toString()
    const cookie = begun.cookies.map(parseSetCookie).map(({ name, value }) => `${name}=${value}`)
    const back = await at.post(REDIRECT, body, { Cookie: cookie.join('; ') })
    const auth = back.cookies.map(parseSetCookie).find(({ name }) => name === 'gateway-cdsso')
    return { session, back, auth, headers: { Cookie: `gateway-cdsso=${auth?.value}` } }
  }

  test('CDSSO: the cookie is gateway-cdsso: HttpOnly, SameSite=Lax, Secure on TLS', async () => {
    await using at = await protectedPages([crossDomain()], { ...QUIET, manager: { agents } })
    const { back, auth } = await loggedIn(at)
    assert.deepEqual([back.status, back.cacheControl], [302, 'no-store'])
    assert.deepEqual([auth?.httpOnly, auth?.sameSite, auth?.secure, auth?.path], [true, 'Lax', true, '/'])
  })

  test('contexts.cdsso (also value) and contexts.ssoToken are set', async () => {
    await using at = await protectedPages([crossDomain()], { ...QUIET, manager: { agents } })
    const { session, headers } = await loggedIn(at)
    assert.equal((await at.ask(null, { url: `${SITE}/page`, headers })).status, 200)
    const cdsso = at.passed?.context(CdssoContext)
    assert.deepEqual([cdsso?.value, cdsso?.redirectEndpoint], [session, REDIRECT])
    assert.deepEqual(cdsso?.cookieInfo, { name: 'gateway-cdsso', domain: null, path: '/' })
    assert.equal(at.passed?.context(SsoTokenContext)?.value, session)
  })

  for (const subject of ['${contexts.ssoToken.value}', '${contexts.cdsso.value}', '${contexts.cdsso.token}']) {
    test(`B56: decisions about ${subject} end with the session`, options, async () => {
      const config = { ssoTokenSubject: subject, cache: { enabled: true, defaultTimeout: '1 hour' } }
      await using at = await protectedPages([crossDomain(), policy(config)], { manager: { agents } })
      const { session, headers } = await loggedIn(at)
      at.manager.fail('policies', {
        status: 200,
        body: JSON.stringify([{ resource: `${SITE}/page`, actions: { GET: true } }]),
      })
      at.manager.putPolicy(readers)
      assert.equal((await at.ask(null, { url: `${SITE}/page`, headers })).status, 200)
      const entries = () => at.built.metrics.values.get('gw_cache_entries')
      const received = at.received('/agent/session')
      at.manager.endSession(session)
      await received
      assert.equal(entries(), 0)
    })
  }

  test('failure without handler: 403', async () => {
    await using at = await protectedPages([crossDomain()], { ...QUIET, manager: { agents } })
    const { status, cacheControl, cookies } = await at.post(REDIRECT, 'state=x&id_token=a.b.c', {})
    assert.deepEqual([status, cacheControl, cookies], [403, 'no-store', []])
  })

  test('failureHandler: gets contexts.cdssoFailure', async () => {
    const failureHandler = {
      type: 'StaticResponseHandler',
      config: { status: 418, entity: '${contexts.cdssoFailure.error}' },
    }
    await using at = await protectedPages([crossDomain({ failureHandler })], { ...QUIET, manager: { agents } })
    const { status, text } = await at.post(REDIRECT, 'state=x', {})
    assert.deepEqual([status, text], [418, 'invalid_request'])
  })

  test('an advice is sent with the cross-domain login', async () => {
    await using at = await protectedPages([crossDomain(), policy({ ssoTokenSubject: '${contexts.cdsso.value}' })], {
      ...QUIET,
      manager: { agents },
    })
    at.manager.putPolicy({ ...readers, condition: { type: 'AuthLevel', authLevel: 3 } })
    const { headers } = await loggedIn(at)
    const { status, location } = await at.ask(null, { url: `${SITE}/page`, headers })
    assert.equal(status, 307)
    assert.match(location?.pathname ?? '', /\/authorize$/)
    assert.equal(location?.searchParams.get('authIndexType'), 'composite_advice')
  })
})
