// Logins that can not be completed, whose session is lost, or of requests that are not navigations.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BrowserLike } from '#test/browser-like'
import { HTML, intercept, logIn, openIdGateway } from '#test/openid-gateway'

const options = { timeout: 60_000 }

test('a callback that was used, without or with a session', options, async () => {
  await using at = await openIdGateway()
  const browser = new BrowserLike()
  await logIn(browser, `${at.gateway.url}/app/page`)
  const callback = browser.trail.find((url) => url.includes('/callback')) as string
  const again = await browser.ask(callback)
  assert.deepEqual([again.status, again.headers.get('location')], [302, `${at.gateway.url}/app/page`])
  assert.equal((await browser.ask(`${at.gateway.url}/app/page`)).status, 200, 'the session goes on')

  const other = new BrowserLike()
  await other.ask(`${at.gateway.url}/app/page`)
  for (const url of [
    callback,
    `${at.gateway.url}/app/oidc/callback?code=x&state=`,
    `${at.gateway.url}/app/oidc/callback`,
  ]) {
    const page = await other.ask(url)
    assert.equal(page.status, 400)
    assert.equal(page.headers.get('cache-control'), 'no-store')
    assert.match(page.text, new RegExp(`<a href="${at.gateway.url}/app/oidc/login">Log in again</a>`))
  }
  assert.equal((await other.ask(`${at.gateway.url}/app/page`)).status, 302, 'no user is logged in')
  assert.equal((await logIn(other, `${at.gateway.url}/app/oidc/login`, 'other')).url, `${at.gateway.url}/`)
})

test('a used callback leads to the page of the last login, without the query of a long URL', options, async () => {
  await using at = await openIdGateway({ filter: { defaultLoginGoto: '/app/home' } })
  for (const [query, page] of [
    ['', '/app/home'],
    ['?goto=/app/page?x=1', `${at.gateway.url}/app/page?x=1`],
    [`?goto=/app/page?x=${'1'.repeat(400)}`, `${at.gateway.url}/app/page`],
    [`?goto=/app/${'1'.repeat(400)}`, '/app/home'],
  ] as const) {
    const browser = new BrowserLike()
    await logIn(browser, `${at.gateway.url}/app/oidc/login${query}`)
    const callback = browser.trail.findLast((url) => url.includes('/callback')) as string
    assert.equal((await browser.ask(callback)).headers.get('location'), page)
  }
})

test('a browser can have twenty logins in progress', options, async () => {
  await using at = await openIdGateway()
  const browser = new BrowserLike()
  const logins: string[] = []
  for (let tab = 0; tab < 20; tab += 1) {
    const { status, headers } = await browser.ask(`${at.gateway.url}/app/${tab}`)
    assert.equal(status, 302)
    logins.push(headers.get('location') as string)
  }
  const page = await logIn(browser, logins[0] as string)
  assert.deepEqual([page.status, page.url], [200, `${at.gateway.url}/app/0`])
  // The provider has a session now: the other tabs complete their logins without a form.
  for (const tab of [1, 10, 19]) {
    const other = await browser.open(logins[tab] as string)
    assert.deepEqual([other.status, other.url], [200, `${at.gateway.url}/app/${tab}`])
  }
})

test('a server that fails in the middle: 503, and a reload completes the login', options, async () => {
  await using at = await openIdGateway()
  const browser = new BrowserLike()
  intercept(at.provider, '/token', [502, 'text/html', HTML])
  const failed = await logIn(browser, `${at.gateway.url}/app/page`)
  assert.deepEqual([failed.status, failed.headers.get('retry-after')], [503, '5'])
  assert.match(failed.text, /Try again in a few seconds/)
  at.provider.intercept = () => false
  const page = await browser.open(failed.url)
  assert.deepEqual([page.status, page.url], [200, `${at.gateway.url}/app/page`])
})

test('a rejected code: 400; a rejected user: 403', options, async () => {
  await using at = await openIdGateway()
  const browser = new BrowserLike()
  const begin = async () => {
    const url = new URL((await browser.ask(`${at.gateway.url}/app/page`)).headers.get('location') as string)
    return `state=${url.searchParams.get('state')}&iss=${encodeURIComponent(at.provider.url)}`
  }
  const callback = `${at.gateway.url}/app/oidc/callback`
  assert.equal((await browser.ask(`${callback}?code=unknown&${await begin()}`)).status, 400)
  const denied = await browser.ask(`${callback}?error=access_denied&error_description=Call+us&${await begin()}`)
  assert.equal(denied.status, 403)
  assert.ok(!denied.text.includes('Call us'), 'the text of a URL is not shown')
  assert.equal((await browser.ask(`${callback}?error=server_error&${await begin()}`)).status, 503)
})

test(
  'a response of another server, without a code or with one of its parameters twice: 400, and no code is exchanged',
  options,
  async () => {
    await using at = await openIdGateway()
    const browser = new BrowserLike()
    const iss = encodeURIComponent(at.provider.url)
    let exchanged = 0
    at.provider.intercept = ({ url }) => {
      if (url === '/token') exchanged += 1
      return false
    }
    for (const parameters of [
      'code=x&iss=https%3A%2F%2Fother.example.com',
      'code=x',
      'error=access_denied',
      `code=x&iss=${iss}&iss=${iss}`,
      `code=x&code=y&iss=${iss}`,
      `code=&iss=${iss}`,
      `iss=${iss}`,
      `code=x&id_token=a.b.c&iss=${iss}`,
    ]) {
      const begun = new URL((await browser.ask(`${at.gateway.url}/app/page`)).headers.get('location') as string)
      const state = begun.searchParams.get('state')
      const page = await browser.ask(`${at.gateway.url}/app/oidc/callback?${parameters}&state=${state}`)
      assert.equal(page.status, 400, parameters)
      assert.match(page.text, /invalid_request/)
    }
    assert.equal(exchanged, 0)
  },
)

test('a login page that was open too long starts the login again', options, async () => {
  await using at = await openIdGateway()
  const browser = new BrowserLike()
  const begun = new URL((await browser.ask(`${at.gateway.url}/app/page?x=1`)).headers.get('location') as string)
  // The response of Keycloak after the end of its authentication session.
  const query = `error=temporarily_unavailable&error_description=authentication_expired&state=${begun.searchParams.get('state')}`
  const page = await logIn(browser, `${at.gateway.url}/app/oidc/callback?${query}`)
  assert.deepEqual([page.status, page.url], [200, `${at.gateway.url}/app/page?x=1`])
})

test('lost sessions: the third login within ten seconds is a failure page', options, async () => {
  await using at = await openIdGateway()
  const { browser, page, url } = await thirdLogin(at)
  assert.equal(page.status, 500)
  // A logout resets the count.
  await browser.ask(`${at.gateway.url}/app/oidc/logout`)
  assert.equal((await browser.open(url)).status, 200)
})

test('lost sessions: a failure handler gets the reason', options, async () => {
  const entity = '${contexts.oauth2Failure.description}'
  const failureHandler = { type: 'StaticResponseHandler', config: { status: 500, entity } }
  await using at = await openIdGateway({ filter: { failureHandler } })
  const { page } = await thirdLogin(at)
  assert.match(page.text, /^two logins within 10 seconds did not last: is the session kept/)
})

/** Logs in three times, with a session that gets lost. */
async function thirdLogin({ gateway }: Awaited<ReturnType<typeof openIdGateway>>) {
  const browser = new BrowserLike()
  const url = `${gateway.url}/app/page`
  assert.equal((await logIn(browser, url)).status, 200)
  const lose = () => browser.changeCookie(gateway.url, 'gateway-session', () => null)
  lose()
  assert.equal((await browser.open(url)).status, 200, 'the server knows the user')
  lose()
  return { browser, url, page: await browser.open(url) }
}

test('tokens that are expired when issued: a failure page, no redirect loop', options, async () => {
  const source = `const response = await next.handle(context, request)
    const tokens = await response.entity.json()
    if (tokens.access_token) response.entity = { ...tokens, expires_in: 0, refresh_token: undefined }
    return response`
  const authenticatedRegistrationHandler = {
    type: 'Chain',
    config: {
      filters: [
        { type: 'ScriptableFilter', config: { type: 'application/javascript', source } },
        {
          type: 'ClientSecretBasicAuthenticationFilter',
          config: { clientId: 'gateway', clientSecretId: 'client.secret', secretsProvider: 'secrets' },
        },
      ],
      handler: 'ClientHandler',
    },
  }
  await using at = await openIdGateway({ registration: { authenticatedRegistrationHandler } })
  const page = await logIn(new BrowserLike(), `${at.gateway.url}/app/page`)
  assert.equal(page.status, 500, page.text)
})

test('requests that are not navigations get 401 instead of the login page', options, async () => {
  await using at = await openIdGateway()
  for (const headers of [
    { 'Sec-Fetch-Mode': 'cors' },
    { 'Sec-Fetch-Mode': 'websocket' },
    { 'X-Requested-With': 'XMLHttpRequest' },
  ]) {
    const answer = await new BrowserLike().ask(`${at.gateway.url}/app/data`, { headers })
    assert.equal(answer.status, 401)
    assert.equal(answer.headers.get('www-authenticate'), `Login uri="${at.gateway.url}/app/oidc/login"`)
    assert.deepEqual(answer.headers.getSetCookie(), [])
  }
  const plain = await at.gateway.ask('/app/page')
  assert.equal(plain.status, 302, 'a client that says nothing of itself is sent to log in')
})

test('a form after the end of a session gets a page with the reason', options, async () => {
  await using at = await openIdGateway()
  const page = await new BrowserLike().ask(`${at.gateway.url}/app/order?step=2`, {
    method: 'POST',
    body: new URLSearchParams({ amount: '3' }),
    headers: { Referer: `${at.gateway.url}/app/cart` },
  })
  assert.equal(page.status, 401)
  assert.match(page.text, /Your session has ended.*not passed on/)
  const goto = encodeURIComponent(`${at.gateway.url}/app/cart`)
  assert.ok(page.text.includes(`href="${at.gateway.url}/app/oidc/login?goto=${goto}"`), page.text)
})
