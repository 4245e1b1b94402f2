import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type LoginRedirect, LoginRedirectContext, SsoTokenContext } from '#contracts'
import { DevelopmentAccessManager } from '#dev'
import { type Filter, parseSetCookie, Response, respond, transientSession } from '#http'
import type { JsonObject } from '#json'
import { accessManagerOptions } from '#test/am-service'
import { build, manualClock } from '#test/build'
import { auditedExchange, exchangeFor } from '#test/exchange'
import { MANAGED_COOKIES } from '../../lib/sessions/application-content.ts'
import { SingleSignOnFilter } from './single-sign-on-filter.ts'

const PAGE = 'http://app.example/home/page?x=1'

async function signingOn(manager: DevelopmentAccessManager, config: JsonObject = {}, am: JsonObject = {}) {
  const surroundings = accessManagerOptions(manager.url, { notifications: { enabled: false }, ...am })
  const clock = manualClock(Date.now())
  const built = await build<Filter>(SingleSignOnFilter, { amService: 'am', ...config }, { ...surroundings, clock })
  return {
    built,
    clock,
    async ask(token: string | null, url = PAGE, cookieName = 'iPlanetDirectoryPro', answer: Response = respond(200)) {
      const headers: Record<string, string> = token === null ? {} : { Cookie: `${cookieName}=${token}` }
      const exchange = auditedExchange('GET', url, { headers })
      let passed: { uri: string; info: JsonObject | null; value: string | null; way: boolean } | null = null
      const response = await built.object(exchange, async (inside) => {
        const sso = inside.context(SsoTokenContext)
        const uri = inside.request.uri.toString()
        passed = {
          uri,
          info: sso?.info ?? null,
          value: sso?.value ?? null,
          way: inside.context(LoginRedirectContext) !== null,
        }
        return answer
      })
      type Passed = { uri: string; info: JsonObject | null; value: string | null; way: boolean }
      const decision = exchange.audit?.decision ?? null
      return { response, status: response.status, passed: passed as Passed | null, decision }
    },
    [Symbol.asyncDispose]: () => built[Symbol.asyncDispose](),
  }
}

const locationOf = (response: { headers: { get(name: string): string | null } }) =>
  new URL(response.headers.get('location') as string)

test('without a session a browser is redirected to the login page, and back', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using filter = await signingOn(manager)
  const { status, response, passed } = await filter.ask(null)
  assert.deepEqual([status, passed, response.headers.get('cache-control')], [302, null, 'no-store'])
  const location = locationOf(response)
  assert.equal(location.origin + location.pathname, `${manager.url}/`)
  assert.match(location.searchParams.get('goto') as string, /^http:\/\/app\.example\/home\/page\?x=1&_ig=t[0-9a-z]+$/)
  assert.equal(location.searchParams.get('realm'), '/')
})

test('with a session the request is passed on, with the session in a context', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using filter = await signingOn(manager)
  const token = manager.login('demo')
  const { status, passed } = await filter.ask(token)
  assert.equal(status, 200)
  assert.deepEqual(
    [passed?.value, passed?.info?.['username'], passed?.info?.['realm'], passed?.way],
    [token, 'demo', '/', true],
  )
})

test('the name of the cookie is that of the access manager', async () => {
  await using manager = await DevelopmentAccessManager.start({ cookieName: 'e3b0c442' })
  await using filter = await signingOn(manager)
  assert.equal((await filter.ask(manager.login('demo'))).status, 302)
  assert.equal((await filter.ask(manager.login('demo'), PAGE, 'e3b0c442')).status, 200)
})

test('an unknown token, or one that is invalid in a header, is rejected', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using filter = await signingOn(manager)
  for (const token of ['nonsense', 'x'.repeat(9_000), 'a\tb', 'ä', ''])
    assert.equal((await filter.ask(token)).status, 302)
})

test('a browser that returns without a session is not redirected again; the marker is not passed on', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using filter = await signingOn(manager)
  assert.equal((await filter.ask(null, `${PAGE}&_ig=1`)).status, 403)
  const { status: loop, response: page } = await filter.ask('ended', `${PAGE}&_ig=1`)
  assert.equal(loop, 403)
  const html = Buffer.from(await page.body.read(10_000)).toString()
  assert.match(html, /the cookie iPlanetDirectoryPro was not sent/)
  assert.ok(html.includes(`<a href="${PAGE.replaceAll('&', '&#38;')}">Log in again</a>`), html)
  const { status, passed } = await filter.ask(manager.login('demo'), 'http://app.example/home?_ig=1&a=b')
  assert.deepEqual([status, passed?.uri], [200, 'http://app.example/home?a=b'])
})

test('an expired marker does not prevent a login after the session has ended', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using filter = await signingOn(manager)
  const marked = locationOf((await filter.ask(null)).response).searchParams.get('goto') as string
  assert.equal((await filter.ask(null, marked)).status, 403)
  filter.clock.advance(5 * 60_000 - 2_000)
  const again = await filter.ask(null, marked)
  assert.equal(again.status, 403)
  assert.deepEqual(
    [again.response.headers.get('cache-control'), again.response.headers.get('location')],
    ['no-store', null],
  )
  filter.clock.advance(2_000)
  const { status, response } = await filter.ask(null, marked)
  assert.equal(status, 302)
  assert.equal([...(locationOf(response).searchParams.get('goto') as string).matchAll(/_ig=/g)].length, 1)
})

test('a request without session that is no navigation gets 401 instead of the login page', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using filter = await signingOn(manager)
  for (const headers of [{ 'Sec-Fetch-Mode': 'cors' }, { 'X-Requested-With': 'XMLHttpRequest' }]) {
    const response = await filter.built.object(exchangeFor('GET', PAGE, { headers }), async () => respond(200))
    assert.deepEqual([response.status, response.headers.get('location')], [401, null])
    assert.match(response.headers.get('www-authenticate') ?? '', /^Login uri="http:[^"]*"$/)
  }
})

test('with a session, a navigation with the marker is redirected to the URL without it', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using filter = await signingOn(manager)
  const Cookie = `iPlanetDirectoryPro=${manager.login('demo')}`
  const opened = { 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' }
  const open = (url: string, headers: Record<string, string>, method = 'GET') =>
    filter.built.object(exchangeFor(method, url, { headers }), async () => respond(200))
  const cleared = await open(`${PAGE}&_ig=t1&b=2`, { Cookie, ...opened })
  assert.deepEqual([cleared.status, cleared.headers.get('location')], [302, `${PAGE}&b=2`])
  assert.equal((await open(PAGE, { Cookie, ...opened })).status, 200)
  assert.equal((await open(`${PAGE}&_ig=t1`, { Cookie, ...opened }, 'POST')).status, 200)
  assert.equal((await open(`${PAGE}&_ig=t1`, { Cookie, ...opened, 'Sec-Fetch-Mode': 'cors' })).status, 200)
  assert.match((await open(`${PAGE}&_ig=t1`, opened)).headers.get('location') as string, /goto=/)
  const doubled = await open('http://app.example//evil.example/?_ig=t1', { Cookie, ...opened })
  assert.equal(doubled.headers.get('location'), 'http://app.example//evil.example/')
})

test('redirectionMarker: another name, or disabled', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using named = await signingOn(manager, { redirectionMarker: { name: 'back' } })
  assert.match(locationOf((await named.ask(null)).response).searchParams.get('goto') as string, /x=1&back=t[0-9a-z]+$/)
  await using off = await signingOn(manager, { redirectionMarker: { enabled: false } })
  assert.equal(locationOf((await off.ask(null)).response).searchParams.get('goto'), PAGE)
  assert.equal((await off.ask(null, `${PAGE}&_ig=1`)).status, 302)
})

test('authenticationService and loginEndpoint set the service and the page of the login', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using service = await signingOn(manager, { authenticationService: 'StrongLogin' })
  const { searchParams } = locationOf((await service.ask(null)).response)
  assert.deepEqual([searchParams.get('authIndexType'), searchParams.get('authIndexValue')], ['service', 'StrongLogin'])
  await using endpoint = await signingOn(manager, {
    loginEndpoint:
      'https://login.example/?goto=${urlEncodeQueryParameterNameOrValue(contexts.router.originalUri)}&realm=/a',
  })
  const location = locationOf((await endpoint.ask(null)).response)
  assert.equal(location.origin, 'https://login.example')
  assert.deepEqual([location.searchParams.get('goto'), location.searchParams.get('realm')], [PAGE, '/a'])
})

test('logoutExpression ends the session at the access manager and deletes the cookie', async () => {
  await using manager = await DevelopmentAccessManager.start()
  const config = { logoutExpression: "${request.uri.path == '/logout'}", defaultLogoutLandingPage: '/goodbye' }
  await using filter = await signingOn(manager, config)
  const token = manager.login('demo')
  const { status, response } = await filter.ask(token, 'http://app.example/logout')
  assert.deepEqual([status, response.headers.get('location')], [302, '/goodbye'])
  assert.match(response.headers.get('set-cookie') as string, /^iPlanetDirectoryPro=; Path=\/; Expires=Thu, 01 Jan 1970/)
  assert.equal((await filter.ask(token)).status, 302)
  assert.equal(manager.endSession(token), false)
  await using onward = await signingOn(manager, { logoutEndpoint: "${request.uri.path == '/logout'}" })
  const passed = await onward.ask(manager.login('demo'), 'http://app.example/logout')
  assert.deepEqual([passed.status, passed.passed?.value], [200, null])
  const answer = new Response(403, { isReceived: true })
  const refused = await onward.ask(manager.login('demo'), 'http://app.example/logout', undefined, answer)
  assert.deepEqual([refused.status, refused.decision], [403, null], 'a 403 of the application is no decision')
})

test('logout forgets the sessions of the user at applications', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using filter = await signingOn(manager, { logoutExpression: '${true}', defaultLogoutLandingPage: '/' })
  const session = transientSession()
  session.set(MANAGED_COOKIES, [])
  session.set('cart', 1)
  const headers = { Cookie: `iPlanetDirectoryPro=${manager.login('demo')}` }
  await filter.built.object(exchangeFor('GET', PAGE, { headers }).withSession(session), async () => respond(200))
  assert.deepEqual([...session.keys()], ['cart'])
  // An application that gets the logout has its session meanwhile.
  await using onward = await signingOn(manager, { logoutExpression: '${true}' })
  session.set(MANAGED_COOKIES, [])
  let seen: string[] = []
  const again = { Cookie: `iPlanetDirectoryPro=${manager.login('demo')}` }
  await onward.built.object(exchangeFor('GET', PAGE, { headers: again }).withSession(session), async () => {
    seen = [...session.keys()]
    return respond(200)
  })
  assert.deepEqual([seen.toSorted(), [...session.keys()]], [['cart', MANAGED_COOKIES], ['cart']])
})

test('logout deletes the cookie of the domain it was set for, not of other domains', async () => {
  const domains = ['.example', 'other.example', 'app.example', 'ample', 'x; Secure']
  await using manager = await DevelopmentAccessManager.start({ domains })
  await using filter = await signingOn(manager, { logoutExpression: '${true}', defaultLogoutLandingPage: '/' })
  const { response } = await filter.ask(manager.login('demo'))
  const gone = response.headers.all('set-cookie').map(parseSetCookie)
  assert.deepEqual(
    gone.map(({ name, value, maxAge, domain }) => [name, value, maxAge, domain]),
    [undefined, 'example', 'app.example'].map((domain) => ['iPlanetDirectoryPro', '', 0, domain]),
  )
  manager.fail('serverinfo', { status: 500 })
  const named = { ssoTokenHeader: 'iPlanetDirectoryPro' }
  await using unknown = await signingOn(manager, { logoutExpression: '${true}', defaultLogoutLandingPage: '/' }, named)
  assert.equal((await unknown.ask(manager.login('demo'))).response.headers.all('set-cookie').length, 1)
})

test('B44: a cookie is deleted with the attributes that its name demands', async () => {
  await using manager = await DevelopmentAccessManager.start({ cookieName: '__Secure-sso' })
  await using filter = await signingOn(manager, { logoutExpression: '${true}', defaultLogoutLandingPage: '/' })
  const { response } = await filter.ask(manager.login('demo'), PAGE, '__Secure-sso')
  assert.match(
    response.headers.get('set-cookie') as string,
    /^__Secure-sso=; Path=\/; Expires=[^;]*; Max-Age=0; SameSite=Lax; Secure; HttpOnly$/,
  )
})

for (const family of ['pingam', 'openam'] as const) {
  test(`of several cookies of the name, the first with a session is used, and four at most are tried (${family})`, async () => {
    await using manager = await DevelopmentAccessManager.start({ family })
    await using filter = await signingOn(manager)
    const token = manager.login('demo')
    const after = (stale: number) =>
      `${Array.from({ length: stale }, (_, n) => `stale${n}; iPlanetDirectoryPro=`).join('')}${token}`
    assert.equal((await filter.ask(`; iPlanetDirectoryPro=${token}`)).passed?.value, token)
    assert.equal((await filter.ask(after(1))).passed?.value, token)
    assert.equal((await filter.ask(after(3))).passed?.value, token)
    assert.equal((await filter.ask(after(4))).status, 302)
    const [first, second] = [manager.login('demo'), manager.login('amadmin')]
    assert.equal((await filter.ask(`${first}; iPlanetDirectoryPro=${second}`)).passed?.value, first)
  })
}

test('of several cookies of the name, a failed lookup of one is 503 and no later one is tried', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using filter = await signingOn(manager)
  const token = manager.login('demo')
  assert.equal((await filter.ask(token)).status, 200)
  manager.fail('sessions', { status: 500, times: 1 })
  assert.equal((await filter.ask(`stale; iPlanetDirectoryPro=${token}`)).status, 503)
})

test('logout ends the sessions of all cookies of the name', async () => {
  await using manager = await DevelopmentAccessManager.start()
  const config = { logoutExpression: "${request.uri.path == '/logout'}", defaultLogoutLandingPage: '/goodbye' }
  await using filter = await signingOn(manager, config)
  const [first, second] = [manager.login('demo'), manager.login('amadmin')]
  const cookies = `stale; iPlanetDirectoryPro=${first}; iPlanetDirectoryPro=${second}`
  assert.equal((await filter.ask(cookies, 'http://app.example/logout')).status, 302)
  assert.deepEqual([manager.endSession(first), manager.endSession(second)], [false, false])
})

test('an advice redirects back to its own URL, also with a goto in loginEndpoint', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using filter = await signingOn(manager, { loginEndpoint: 'https://login.example/?goto=https://app.example/' })
  const exchange = exchangeFor('GET', PAGE, { headers: { Cookie: `iPlanetDirectoryPro=${manager.login('demo')}` } })
  const advice = { xml: '<Advices/>', value: 'x' }
  const response = await filter.built.object(exchange, async (inside) =>
    (inside.context(LoginRedirectContext) as LoginRedirect).begin(307, `${PAGE}&_txid=1`, advice),
  )
  assert.equal(locationOf(response).searchParams.get('goto'), `${PAGE}&_txid=1`)
})

test('F11: an access manager that is down or responds with invalid content gives 503, never access', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using filter = await signingOn(manager)
  const token = manager.login('demo')
  assert.equal((await filter.ask(token)).status, 200)
  manager.fail('sessions', { status: 500 })
  assert.equal((await filter.ask(token)).status, 503)
  manager.fail('sessions', { status: 200, body: '<html>' })
  assert.notEqual((await filter.ask(token)).status, 200)
  await manager.close()
  const { status, response } = await filter.ask(token)
  assert.deepEqual([status, response.headers.get('retry-after')], [503, '5'])
})

test('a logout that the access manager does not confirm is 503, and keeps the cookie', async () => {
  await using manager = await DevelopmentAccessManager.start()
  const page = { logoutExpression: "${request.uri.path == '/logout'}", defaultLogoutLandingPage: '/goodbye' }
  await using built = await signingOn(manager, page)
  const token = manager.login('demo')
  const logOut = (name: string) =>
    built.built.object(
      exchangeFor('GET', 'http://app.example/logout', { headers: { Cookie: `iPlanetDirectoryPro=${name}` } }),
      () => assert.fail('was passed on'),
    )
  for (const fault of [
    { status: 500 },
    { status: 503, body: '<html>' },
    { status: 200, body: '<html>Maintenance</html>' },
    { status: 302 },
    { status: 429, body: '{}' },
  ]) {
    manager.fail('sessions', { ...fault, times: 1 })
    const { status, headers } = await logOut(token)
    assert.deepEqual([status, headers.has('set-cookie'), headers.get('retry-after')], [503, false, '5'])
  }
  const { status, headers } = await logOut(token)
  assert.deepEqual([status, headers.get('location')], [302, '/goodbye'])
  assert.equal(manager.endSession(token), false)
  assert.equal((await logOut(token)).status, 302, 'a session that has already ended')
})

test('OpenAM: a token for which alone it fails leads to a new login, and a logout deletes it', async () => {
  await using manager = await DevelopmentAccessManager.start({ family: 'openam' })
  const logoutExpression = "${request.uri.query == 'logout'}"
  await using filter = await signingOn(manager, { logoutExpression, defaultLogoutLandingPage: '/goodbye' })
  assert.equal((await filter.ask(manager.login('demo'))).status, 200)
  const sent = (url: string) =>
    filter.built.object(
      exchangeFor('GET', url, { headers: { Cookie: 'iPlanetDirectoryPro=of.another*OpenAM*' } }),
      () => assert.fail('was passed on'),
    )
  manager.fail('sessions', { status: 500, body: '', times: 1 })
  assert.equal((await sent(PAGE)).status, 302)
  // The logout, and the lookup of its token.
  manager.fail('sessions', { status: 500, body: '', times: 2 })
  const { status, headers } = await sent('http://app.example/?logout')
  assert.deepEqual([status, headers.get('location')], [302, '/goodbye'])
  assert.match(String(headers.get('set-cookie')), /^iPlanetDirectoryPro=;/)
})

test('OpenAM is called with its own protocol version', async () => {
  await using manager = await DevelopmentAccessManager.start({ family: 'openam' })
  await using filter = await signingOn(manager)
  assert.equal((await filter.ask(manager.login('demo'))).status, 200)
  assert.equal((await filter.ask('nonsense')).status, 302)
})

test('a session that OpenAM accepts after logout is logged as a warning', async () => {
  for (const clientBasedSessions of [true, false]) {
    await using manager = await DevelopmentAccessManager.start({ family: 'openam', clientBasedSessions })
    await using filter = await signingOn(manager, { logoutExpression: '${true}', defaultLogoutLandingPage: '/' })
    assert.equal((await filter.ask(manager.login('demo'))).status, 302)
    const lines = filter.built.log.lines.filter((line) => line.includes('accepts a session after its logout'))
    assert.equal(lines.length, clientBasedSessions ? 1 : 0)
  }
})

test('goto validation of OpenAM: the marker is a query, which needs a pattern with "?"', async () => {
  const page = 'http://app.example/*'
  for (const [gotoPatterns, leadsBack] of [
    [[page], false],
    [[page, `${page}?*`], true],
  ] as const) {
    await using manager = await DevelopmentAccessManager.start({ family: 'openam', gotoPatterns })
    await using filter = await signingOn(manager)
    const { response } = await filter.ask(null, 'http://app.example/home')
    const headers = { Cookie: `iPlanetDirectoryPro=${manager.login('demo')}` }
    const sent = await fetch(locationOf(response), { headers, redirect: 'manual' })
    assert.equal(sent.headers.get('location')?.startsWith('http://app.example/home?_ig='), leadsBack)
  }
})

for (const [name, config, message] of [
  ['no amService', {}, /amService/],
  ['an unknown field', { amService: 'am', managerUrl: 'http://x' }, /managerUrl/],
] as const) {
  test(`refused: ${name}`, async () => {
    await using manager = await DevelopmentAccessManager.start()
    const surroundings = accessManagerOptions(manager.url, { notifications: { enabled: false } })
    await assert.rejects(build(SingleSignOnFilter, config, surroundings), (error: Error & { problems?: object[] }) => {
      assert.match(JSON.stringify(error.problems), message)
      return true
    })
  })
}
