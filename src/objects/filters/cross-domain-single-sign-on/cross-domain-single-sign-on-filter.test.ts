import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CdssoContext, CdssoFailureContext, SsoTokenContext } from '#contracts'
import { DevelopmentAccessManager } from '#dev'
import { type Filter, parseSetCookie, Response, respond } from '#http'
import type { JsonObject } from '#json'
import { accessManagerOptions } from '#test/am-service'
import { build } from '#test/build'
import { auditedExchange } from '#test/exchange'
import { CrossDomainSingleSignOnFilter } from './cross-domain-single-sign-on-filter.ts'

const SITE = 'https://app.test'
const REDIRECT = `${SITE}/app/redirect`
const PAGE = `${SITE}/app/page?x=1`

const manager = () =>
  DevelopmentAccessManager.start({ agents: [{ name: 'ig_agent', password: 'password', redirectUris: [REDIRECT] }] })

async function signingOn(am: DevelopmentAccessManager, config: JsonObject = {}) {
  const surroundings = accessManagerOptions(am.url, { notifications: { enabled: false } })
  const built = await build<Filter>(
    CrossDomainSingleSignOnFilter,
    { amService: 'am', redirectEndpoint: '/app/redirect', ...config },
    surroundings,
  )
  return {
    built,
    async ask(
      cookies: string[],
      {
        method = 'GET',
        url = PAGE,
        form,
        headers = {},
        answer = respond(200),
      }: {
        method?: string
        url?: string
        form?: object
        headers?: Record<string, string>
        answer?: Response
      } = {},
    ) {
      const exchange = auditedExchange(method, url, {
        headers: { ...headers, ...(cookies.length > 0 && { Cookie: cookies.join('; ') }) },
        ...(form === undefined ? {} : { body: new URLSearchParams(form as Record<string, string>).toString() }),
      })
      let seen: { value: string; uid: string | null; user: unknown; uri: string } | null = null
      const response = await built.object(exchange, async (inside) => {
        const cdsso = inside.context(CdssoContext)
        const sso = inside.context(SsoTokenContext)
        if (cdsso !== null)
          seen = {
            value: cdsso.value,
            uid: cdsso.sessionUid,
            user: sso?.info['username'],
            uri: inside.request.uri.toString(),
          }
        return answer
      })
      type Seen = { value: string; uid: string | null; user: unknown; uri: string }
      const decision = exchange.audit?.decision ?? null
      return { response, status: response.status, seen: seen as Seen | null, decision }
    },
    [Symbol.asyncDispose]: () => built[Symbol.asyncDispose](),
  }
}

const cookiesOf = (response: Response) =>
  response.headers
    .all('set-cookie')
    .map(parseSetCookie)
    .filter(({ value }) => value !== '')
    .map(({ name, value }) => `${name}=${value}`)

/** The form that the access manager has the browser of a logged-in user post. */
async function postedForm(location: string, am: DevelopmentAccessManager, session = am.login('demo')) {
  const answer = await fetch(location, { headers: { Cookie: `iPlanetDirectoryPro=${session}` }, redirect: 'manual' })
  const page = await answer.text()
  const inputs = [...page.matchAll(/<input[^>]*name="([^"]*)"[^>]*value="([^"]*)"/g)]
  return { form: Object.fromEntries(inputs.map(([, name, value]) => [name, value])), session, page }
}

/** Logs in; returns the cookies of the browser. */
async function logIn(filter: Awaited<ReturnType<typeof signingOn>>, am: DevelopmentAccessManager) {
  const begun = await filter.ask([])
  const { form, session } = await postedForm(begun.response.headers.get('location') as string, am)
  const login = cookiesOf(begun.response)
  const back = await filter.ask(login, { method: 'POST', url: REDIRECT, form })
  return { back, form, session, login, cookies: cookiesOf(back.response) }
}

test('a browser is redirected to the access manager, returns with a token, and its request is passed on', async () => {
  await using am = await manager()
  await using filter = await signingOn(am)
  const begun = await filter.ask([])
  assert.equal(begun.status, 302)
  const { searchParams } = new URL(begun.response.headers.get('location') as string)
  assert.deepEqual(
    ['client_id', 'response_type', 'response_mode', 'redirect_uri', 'agent_provider', 'agent_realm', 'scope'].map(
      (name) => searchParams.get(name),
    ),
    ['ig_agent', 'id_token', 'form_post', REDIRECT, 'true', '/', 'openid'],
  )
  const { back, cookies, session } = await logIn(filter, am)
  const there = back.response.headers.get('location') as string
  assert.equal(back.status, 302)
  assert.match(there, /^https:\/\/app\.test\/app\/page\?x=1&_ig=t[0-9a-z]+$/)
  assert.match(cookies.join(), /^gateway-cdsso=[\w-]+\.[\w-]+\.[\w-]+$/)
  const { status, seen } = await filter.ask(cookies, { url: there })
  assert.equal(status, 200)
  assert.deepEqual([seen?.value, seen?.user, seen?.uri, typeof seen?.uid], [session, 'demo', PAGE, 'string'])
})

test('cookies of a login are SameSite=None over TLS only; that of the token is Lax', async () => {
  await using am = await manager()
  await using filter = await signingOn(am)
  const begun = await filter.ask([])
  const [login] = begun.response.headers.all('set-cookie').map(parseSetCookie)
  assert.deepEqual([login?.sameSite, login?.secure, login?.httpOnly, login?.maxAge], ['None', true, true, 3600])
  const { back } = await logIn(filter, am)
  const auth = back.response.headers
    .all('set-cookie')
    .map(parseSetCookie)
    .find(({ name }) => name === 'gateway-cdsso')
  assert.deepEqual([auth?.sameSite, auth?.secure, auth?.httpOnly], ['Lax', true, true])
})

test('with a Strict cookie the redirect is a page of this site, in which the URL is escaped', async () => {
  await using am = await manager()
  await using filter = await signingOn(am, { authCookie: { sameSite: 'STRICT' } })
  const begun = await filter.ask([], { url: `${SITE}/app/it's?a=1&b='<` })
  const { form } = await postedForm(begun.response.headers.get('location') as string, am)
  const { response } = await filter.ask(cookiesOf(begun.response), { method: 'POST', url: REDIRECT, form })
  assert.equal(response.status, 200)
  assert.match(response.headers.get('content-type') as string, /^text\/html/)
  const page = Buffer.from(await response.body.read(10_000)).toString()
  assert.match(page, /content="0;url=https:\/\/app\.test\/app\/it&#39;s\?a=1&#38;b=%27%3C&#38;_ig=t\w+"/)
  assert.deepEqual(
    response.headers
      .all('set-cookie')
      .map(parseSetCookie)
      .map(({ name, sameSite }) => [name.replace(/-login-.*/, ''), sameSite]),
    [
      ['gateway-cdsso', 'Strict'],
      ['__Host-gateway-cdsso', 'None'],
    ],
  )
})

test('B44: over TLS no other host of the domain can set the cookie of a login', async () => {
  await using am = await manager()
  await using filter = await signingOn(am)
  const begun = await filter.ask([])
  assert.match(begun.response.headers.get('set-cookie') as string, /^__Host-gateway-cdsso-login-[\w-]{22}=/)
  const plain = await filter.ask([], { url: 'http://app.test/app/page' })
  assert.match(
    plain.response.headers.get('set-cookie') as string,
    /^gateway-cdsso-login-[^;]*; Path=\/; Max-Age=3600; SameSite=Lax; HttpOnly$/,
  )
})

test('the cookies of pending logins are limited in size', async () => {
  await using am = await manager()
  await using filter = await signingOn(am)
  let cookies: string[] = []
  for (let visit = 0; visit < 25; visit += 1) {
    const { response } = await filter.ask(cookies)
    const set = response.headers.all('set-cookie').map(parseSetCookie)
    const gone = set.filter(({ maxAge }) => maxAge === 0).map(({ name }) => name)
    cookies = [...cookies.filter((cookie) => !gone.includes(cookie.split('=')[0] as string)), ...cookiesOf(response)]
    assert.ok(cookies.length <= 20)
  }
  const background = await filter.ask([], { headers: { 'Sec-Fetch-Mode': 'no-cors' } })
  assert.deepEqual([background.status, cookiesOf(background.response)], [401, []])
  assert.equal(background.response.headers.get('www-authenticate'), `Login uri="${am.url}/"`)
  assert.equal(cookiesOf((await filter.ask([], { headers: { 'Sec-Fetch-Mode': 'navigate' } })).response).length, 1)
})

test('a URL that is too long for a cookie is cut to its path, or to the site', async () => {
  await using am = await manager()
  await using filter = await signingOn(am)
  for (const [url, expected] of [
    [`${SITE}/app/page?x=${'y'.repeat(8_000)}`, `${SITE}/app/page`],
    [`${SITE}/app/${'y'.repeat(8_000)}`, `${SITE}/`],
  ] as const) {
    const begun = await filter.ask([], { url })
    const [cookie = ''] = cookiesOf(begun.response)
    assert.ok(cookie.length < 4_096)
    const { form } = await postedForm(begun.response.headers.get('location') as string, am)
    const back = await filter.ask([cookie], { method: 'POST', url: REDIRECT, form })
    assert.equal(back.response.headers.get('location'), expected)
  }
})

test('a token without a pending login of this browser, of another login, or used before is rejected', async () => {
  await using am = await manager()
  await using filter = await signingOn(am)
  const { form, login } = await logIn(filter, am)
  assert.equal((await filter.ask([], { method: 'POST', url: REDIRECT, form })).status, 403)
  const other = await filter.ask([])
  const otherState = new URL(other.response.headers.get('location') as string).searchParams.get('state')
  const mixed = { ...form, state: otherState }
  assert.equal(
    (await filter.ask(cookiesOf(other.response), { method: 'POST', url: REDIRECT, form: mixed })).status,
    403,
  )
  assert.equal((await filter.ask(login, { method: 'POST', url: REDIRECT, form: { ...form, state: 'x' } })).status, 403)
  assert.equal((await filter.ask(login, { method: 'POST', url: REDIRECT, form: {} })).status, 403)
})

test('a forged, truncated, foreign or expired token is rejected', async () => {
  await using am = await manager()
  await using filter = await signingOn(am)
  const { cookies } = await logIn(filter, am)
  const [, jwt = ''] = (cookies[0] as string).split('=')
  const [header = '', payload = '', signature = ''] = jwt.split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const changed = (more: object) => Buffer.from(JSON.stringify({ ...claims, ...more })).toString('base64url')
  const none = Buffer.from('{"alg":"none"}').toString('base64url')
  for (const value of [
    `${header}.${changed({ sub: 'x' })}.${signature}`,
    `${none}.${payload}.`,
    jwt.slice(0, -4),
    'x',
    '',
    'A'.repeat(100_000),
  ])
    assert.equal((await filter.ask([`gateway-cdsso=${value}`])).status, 302, value.slice(0, 40))
})

test('of several cookies of the name, the one with a valid token is used', async () => {
  await using am = await manager()
  await using filter = await signingOn(am)
  const { cookies } = await logIn(filter, am)
  const { status, seen } = await filter.ask(['gateway-cdsso=strange', ...cookies])
  assert.deepEqual([status, seen?.user], [200, 'demo'])
})

test('a session that has ended at the access manager ends here', async () => {
  await using am = await manager()
  await using filter = await signingOn(am)
  const { cookies, session } = await logIn(filter, am)
  assert.equal((await filter.ask(cookies)).status, 200)
  am.endSession(session)
  assert.equal((await filter.ask(cookies)).status, 302)
  assert.equal((await filter.ask(cookies, { url: `${PAGE}&_ig=1` })).status, 403)
})

test('an error of the access manager goes to failureHandler', async () => {
  await using am = await manager()
  await using filter = await signingOn(am)
  const begun = await filter.ask([])
  const state = new URL(begun.response.headers.get('location') as string).searchParams.get('state')
  const form = { state, error: 'access_denied', error_description: 'no' }
  const { status } = await filter.ask(cookiesOf(begun.response), { method: 'POST', url: REDIRECT, form })
  assert.equal(status, 403)
  assert.ok(CdssoFailureContext.name === 'cdssoFailure')
  assert.equal((await filter.ask([], { method: 'GET', url: REDIRECT })).status, 405)
})

test('a failed login is a page with a link to a new one: 403, and 503 for a fault of the access manager', async () => {
  await using am = await manager()
  await using filter = await signingOn(am)
  const failure = async (more: object) => {
    const begun = await filter.ask([])
    const state = new URL(begun.response.headers.get('location') as string).searchParams.get('state')
    const form = { state, ...more }
    const { status, response } = await filter.ask(cookiesOf(begun.response), { method: 'POST', url: REDIRECT, form })
    const html = Buffer.from(await response.body.read(10_000)).toString()
    return { status, link: /<a href="([^"]*)">Log in again<\/a>/.exec(html)?.[1], html }
  }
  const page = PAGE.replaceAll('&', '&#38;')
  const denied = await failure({ error: 'access_denied', error_description: '<b>no</b>' })
  assert.deepEqual([denied.status, denied.link], [403, page])
  assert.match(denied.html, /The login was refused\..*Code: <code>access_denied</)
  assert.doesNotMatch(denied.html, /<b>|&#60;b/)
  assert.equal((await failure({ error: 'temporarily_unavailable' })).status, 503)
  const forged = await failure({ id_token: 'x' })
  assert.deepEqual([forged.status, forged.link], [403, page])
  const unknown = await failure({ state: 'x' })
  assert.deepEqual([unknown.status, unknown.link], [403, '/'])
  const { response } = await filter.ask([], { url: `${PAGE}&_ig=1` })
  assert.ok(
    Buffer.from(await response.body.read(10_000))
      .toString()
      .includes(`href="${page}"`),
  )
})

test('the decision about a failed login has no text that was posted', async () => {
  await using am = await manager()
  await using filter = await signingOn(am)
  const decided = async (more: object) => {
    const begun = await filter.ask([])
    const state = new URL(begun.response.headers.get('location') as string).searchParams.get('state')
    const form = { state, error_description: 'of bjensen', ...more }
    const { decision } = await filter.ask(cookiesOf(begun.response), { method: 'POST', url: REDIRECT, form })
    return [decision?.result, decision?.reason]
  }
  assert.deepEqual(await decided({ error: 'access_denied' }), ['DENIED', 'the access manager refused (access_denied)'])
  assert.deepEqual(await decided({ error: 'bjensen' }), ['DENIED', 'the access manager refused'])
  assert.deepEqual(await decided({ error: 'server_error' }), ['FAILED', 'the access manager refused (server_error)'])
  assert.deepEqual(await decided({ state: 'x' }), ['DENIED', 'this browser has begun no login with that state'])
})

test('B64: a manipulated login cookie does not redirect to another site', async () => {
  await using am = await manager()
  await using filter = await signingOn(am)
  const begun = await filter.ask([])
  const { form } = await postedForm(begun.response.headers.get('location') as string, am)
  const [name = '', value = ''] = (cookiesOf(begun.response)[0] as string).split('=')
  const login = JSON.parse(Buffer.from(value, 'base64url').toString())
  const evil = Buffer.from(JSON.stringify({ ...login, goto: 'https://evil.example/' })).toString('base64url')
  const { status } = await filter.ask([`${name}=${evil}`], { method: 'POST', url: REDIRECT, form })
  assert.equal(status, 403)
})

test('logoutExpression ends the session and deletes the cookie', async () => {
  await using am = await manager()
  await using filter = await signingOn(am, {
    logoutExpression: "${request.uri.path == '/app/logout'}",
    defaultLogoutLandingPage: '/bye',
  })
  const { cookies, session } = await logIn(filter, am)
  const out = await filter.ask(cookies, { url: `${SITE}/app/logout` })
  assert.deepEqual([out.status, out.response.headers.get('location')], [302, '/bye'])
  assert.match(out.response.headers.get('set-cookie') as string, /^gateway-cdsso=; /)
  assert.equal(am.endSession(session), false)
  await using onward = await signingOn(am, { logoutExpression: "${request.uri.path == '/app/logout'}" })
  const answer = new Response(403, { isReceived: true })
  const passed = await onward.ask([], { url: `${SITE}/app/logout`, answer })
  assert.deepEqual([passed.status, passed.decision], [403, null], 'a 403 of the application is no decision')
})

test('F11: an access manager that is down gives 503', async () => {
  const am = await manager()
  await using filter = await signingOn(am)
  const { cookies } = await logIn(filter, am)
  await am.close()
  assert.equal((await filter.ask(cookies)).status, 503)
})

for (const [name, config, message] of [
  ['no redirectEndpoint', { redirectEndpoint: null }, /redirectEndpoint/],
  ['a redirectEndpoint with query', { redirectEndpoint: '/a?b' }, /a path or a URL without query/],
  ['a redirectEndpoint of nowhere', { redirectEndpoint: '//evil' }, /a path or a URL without query/],
  [
    'B44: a __Host- cookie with a domain',
    { authCookie: { name: '__Host-c', domain: 'app.test' } },
    /authCookie\/domain/,
  ],
  ['keys without provider', { verificationSecretId: 'x' }, /secretsProvider/],
] as const) {
  test(`refused: ${name}`, async () => {
    await using am = await manager()
    await assert.rejects(signingOn(am, config as unknown as JsonObject), (error: Error & { problems?: object[] }) => {
      assert.match(JSON.stringify(error.problems), message)
      return true
    })
  })
}
