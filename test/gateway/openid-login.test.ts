// AuthorizationCodeOAuth2ClientFilter against an independent authorization server.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BrowserLike, type Page } from '#test/browser-like'
import { logIn, openIdGateway, until } from '#test/openid-gateway'
import { waitUntil } from '#test/waiting'

const options = { timeout: 60_000 }

test('a user logs in, is redirected to the page, and stays logged in', options, async () => {
  await using at = await openIdGateway()
  const browser = new BrowserLike()
  const page = await logIn(browser, `${at.gateway.url}/app/page?x=1`)
  assert.equal(page.status, 200, page.text)
  assert.equal(page.url, `${at.gateway.url}/app/page?x=1`)
  assert.match(page.text, /^\/app\/page demo demo of test \S+$/)
  const first = new URL(browser.trail[0] as string)
  assert.equal(first.searchParams.get('code_challenge_method'), 'S256')
  assert.ok((first.searchParams.get('state') as string).length >= 43)
  assert.ok((first.searchParams.get('nonce') as string).length >= 43)
  for (let visit = 0; visit < 10; visit += 1) {
    assert.equal((await browser.ask(`${at.gateway.url}/app/${visit}`)).status, 200)
  }
})

test('the session gets a new id when the user has logged in', options, async () => {
  await using at = await openIdGateway()
  const browser = new BrowserLike()
  const { headers } = await browser.ask(`${at.gateway.url}/app/page`)
  const before = browser.cookie(at.gateway.url, 'gateway-session')
  assert.equal(headers.get('cache-control'), 'no-store')
  await logIn(browser, `${at.gateway.url}/app/page`)
  assert.notEqual(browser.cookie(at.gateway.url, 'gateway-session'), before)
})

test('pushed authorization requests are used where the server supports them', options, async () => {
  await using at = await openIdGateway({ provider: { pushedAuthorizationRequests: { enabled: true } } })
  const browser = new BrowserLike()
  assert.equal((await logIn(browser, `${at.gateway.url}/app/page`)).status, 200)
  const first = new URL(browser.trail[0] as string)
  assert.deepEqual([...first.searchParams.keys()].sort(), ['client_id', 'request_uri'])
})

for (const [method, config] of [
  ['client_secret_basic', {}],
  ['client_secret_post', { tokenEndpointAuthMethod: 'client_secret_post' }],
] as const) {
  test(`the client authenticates by ${method}`, options, async () => {
    await using at = await openIdGateway({ client: { token_endpoint_auth_method: method }, registration: config })
    assert.equal((await logIn(new BrowserLike(), `${at.gateway.url}/app/page`)).status, 200)
  })
}

test(
  'a login whose session was replaced is known by its own cookie; B64: one that was changed leads to no other site',
  options,
  async () => {
    await using at = await openIdGateway()
    const arrive = async (goto?: string): Promise<{ browser: BrowserLike; page: Page }> => {
      const browser = new BrowserLike()
      const loginPage = await browser.open(`${at.gateway.url}/app/page?x=1`)
      browser.changeCookie(at.gateway.url, 'gateway-session', () => null)
      if (goto !== undefined)
        browser.changeCookie(at.gateway.url, 'gateway-login-', (value) => {
          const login = JSON.parse(Buffer.from(value, 'base64url').toString())
          return Buffer.from(JSON.stringify({ ...login, goto })).toString('base64url')
        })
      const consentPage = await browser.submit(loginPage, { login: 'demo', password: 'x' })
      return { browser, page: await browser.submit(consentPage) }
    }
    const { browser, page } = await arrive()
    assert.match(page.text, /^\/app\/page demo/)
    assert.equal((await browser.ask(`${at.gateway.url}/app/page`)).status, 200)
    for (const goto of ['https://evil.example/', '//evil.example', 'javascript:alert(1)']) {
      const misled = await arrive(goto)
      assert.equal(misled.page.status, 400)
      assert.equal((await misled.browser.ask(`${at.gateway.url}/app/page`)).status, 302)
    }
  },
)

test('a login state is accepted once over all units, also from a client that keeps its cookie', options, async () => {
  await using at = await openIdGateway({ units: 2 })
  const browser = new BrowserLike()
  const { headers } = await browser.ask(`${at.gateway.url}/app/page`)
  const location = headers.get('location') as string
  const kept = headers.getSetCookie().find((field) => field.startsWith('gateway-login-')) as string
  assert.equal((await logIn(browser, location)).status, 200)
  for (let visit = 0; visit < 4; visit += 1) {
    // The server has a session of the user, and issues a new code for the same state.
    const back = new URL((await browser.ask(location)).headers.get('location') as string)
    assert.ok(back.searchParams.has('code'), back.href)
    const headers = { Cookie: kept.split(';')[0] as string, Connection: 'close' }
    const again = await fetch(back, { headers, redirect: 'manual' })
    assert.equal(again.status, 400)
    assert.ok(!again.headers.getSetCookie().some((field) => field.startsWith('gateway-session=')))
  }
})

test('the user denies consent: the response is that of failureHandler', options, async () => {
  const failureHandler = {
    type: 'StaticResponseHandler',
    config: { status: 403, entity: '${contexts.oauth2Failure.error}' },
  }
  await using at = await openIdGateway({ filter: { failureHandler } })
  const browser = new BrowserLike()
  const begun = new URL((await browser.ask(`${at.gateway.url}/app/page`)).headers.get('location') as string)
  const state = begun.searchParams.get('state')
  const iss = encodeURIComponent(at.provider.url)
  const denied = await browser.ask(`${at.gateway.url}/app/oidc/callback?error=access_denied&state=${state}&iss=${iss}`)
  assert.deepEqual([denied.status, denied.text], [403, 'access_denied'])
})

test('an expired access token is refreshed once for many requests over all units', options, async () => {
  // Those of the refresh do not expire, however slow the machine is.
  const AccessToken = ({ oidc }: { oidc: { params?: Record<string, unknown> } }) =>
    oidc.params?.['grant_type'] === 'refresh_token' ? 3600 : 2
  await using at = await openIdGateway({ ttl: { AccessToken }, units: 3 })
  let refreshes = 0
  at.provider.provider.on('grant.success', (context) => {
    if (context.oidc.params?.['grant_type'] === 'refresh_token') refreshes += 1
  })
  const browser = new BrowserLike()
  const before = (await logIn(browser, `${at.gateway.url}/app/page`)).text
  const cookie = `gateway-session=${browser.cookie(at.gateway.url, 'gateway-session')}`
  await waitUntil('the access token was refreshed', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => at.gateway.ask('/app/page', { headers: { Cookie: cookie } })),
    )
    for (const { status } of answers) assert.equal(status, 200)
    return refreshes > 0
  })
  assert.equal(refreshes, 1)
  const after = await at.gateway.ask('/app/page', { headers: { Cookie: cookie } })
  assert.notEqual(after.text, before)
})

for (const rotateRefreshToken of [true, false]) {
  test(
    `tokens of a few seconds are refreshed each time, at a server that ${rotateRefreshToken ? 'replaces' : 'keeps'} refresh tokens`,
    options,
    async () => {
      await using at = await openIdGateway({ ttl: { AccessToken: 1 }, units: 2, configuration: { rotateRefreshToken } })
      const browser = new BrowserLike()
      const seen = new Set([(await logIn(browser, `${at.gateway.url}/app/page`)).text])
      const last = await until(browser, `${at.gateway.url}/app/page`, ({ text }) => seen.add(text).size === 4)
      assert.deepEqual([last.status, seen.size], [200, 4])
    },
  )
}

test('a browser that lost the cookie with refreshed tokens gets tokens that have not expired', options, async () => {
  const session = { type: 'AuthenticatedEncryptedJwtSessionManager', config: {} }
  await using at = await openIdGateway({
    ttl: { AccessToken: 2 },
    session,
    entity: '${contexts.oauth2Info.access_token}',
  })
  const url = `${at.gateway.url}/app/page`
  const browser = new BrowserLike()
  const first = await logIn(browser, url)
  const kept = `gateway-jwt-session=${browser.cookie(at.gateway.url, 'gateway-jwt-session')}`
  const second = await until(browser, url, ({ text }) => text !== first.text)
  await until(browser, url, ({ text }) => text !== second.text)
  const late = await at.gateway.ask('/app/page', { headers: { Cookie: kept } })
  assert.ok(late.status === 200 && ![first.text, second.text].includes(late.text))
})

test('logout ends the session of the server also where the tokens can not be revoked', options, async () => {
  const filter = { revokeOauth2TokenOnLogout: true, openIdEndSessionOnLogout: true }
  await using at = await openIdGateway({ filter, issuer: { revocationEndpoint: 'http://127.0.0.1:1/revoke' } })
  const browser = new BrowserLike()
  await logIn(browser, `${at.gateway.url}/app/page`)
  const left = await browser.ask(`${at.gateway.url}/app/oidc/logout?goto=/goodbye`)
  assert.equal(left.status, 302)
  assert.ok(left.headers.get('location')?.startsWith(`${at.provider.url}/session/end?`))
  await at.gateway.log.until(/"level":"warn".*tokens not revoked/)
  assert.equal((await browser.ask(`${at.gateway.url}/app/page`)).status, 302)
})

test('logout deletes the tokens, revokes them and ends the session of the server', options, async () => {
  const filter = { revokeOauth2TokenOnLogout: true, openIdEndSessionOnLogout: true }
  await using at = await openIdGateway({ filter })
  const revoked: string[] = []
  at.provider.provider.on('grant.revoked', (_context, id) => void revoked.push(id))
  const browser = new BrowserLike()
  await logIn(browser, `${at.gateway.url}/app/page`)
  const out = await browser.ask(`${at.gateway.url}/app/oidc/logout?goto=/goodbye`)
  const location = new URL(out.headers.get('location') as string)
  assert.equal(location.origin, at.provider.url)
  assert.equal(location.searchParams.get('post_logout_redirect_uri'), `${at.gateway.url}/goodbye`)
  assert.ok(location.searchParams.has('id_token_hint'))
  assert.equal(revoked.length, 1)
  assert.equal((await browser.ask(`${at.gateway.url}/app/page`)).status, 302)
})

test('logout forgets the session of the user at the application', options, async () => {
  const page = {
    type: 'StaticResponseHandler',
    config: {
      status: 200,
      headers: { 'Set-Cookie': ['JSESSIONID=of-${contexts.oauth2Info.id_token_claims.sub}; Path=/'] },
      entity: "cookie: ${request.cookies['JSESSIONID'][0].value}",
    },
  }
  const handler = { type: 'Chain', config: { filters: [{ type: 'CookieFilter' }], handler: page } }
  await using at = await openIdGateway({ handler })
  const browser = new BrowserLike()
  assert.equal((await logIn(browser, `${at.gateway.url}/app/page`)).text, 'cookie: ')
  assert.equal((await browser.ask(`${at.gateway.url}/app/page`)).text, 'cookie: of-demo')
  await browser.ask(`${at.gateway.url}/app/oidc/logout?goto=/goodbye`)
  assert.equal((await browser.open(`${at.gateway.url}/app/page`)).text, 'cookie: ')
})

test('defaultLogoutGoto that is a path is sent to the server as an absolute URL', options, async () => {
  await using at = await openIdGateway({ filter: { openIdEndSessionOnLogout: true, defaultLogoutGoto: '/goodbye' } })
  const browser = new BrowserLike()
  await logIn(browser, `${at.gateway.url}/app/page`)
  const out = await browser.ask(`${at.gateway.url}/app/oidc/logout`)
  const location = new URL(out.headers.get('location') as string)
  assert.equal(location.searchParams.get('post_logout_redirect_uri'), `${at.gateway.url}/goodbye`)
})

test(
  'logout without more is a page with a link to log in; B64: goto never leads to another site',
  options,
  async () => {
    await using at = await openIdGateway()
    const browser = new BrowserLike()
    const out = await browser.ask(`${at.gateway.url}/app/oidc/logout`)
    assert.equal(out.status, 200)
    assert.match(out.text, /You are logged out<.*<a href="login">/)
    for (const goto of ['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)']) {
      for (const step of ['login', 'logout']) {
        const { status, headers } = await browser.ask(
          `${at.gateway.url}/app/oidc/${step}?goto=${encodeURIComponent(goto)}`,
        )
        assert.deepEqual([status, headers.get('location')], [400, null], goto)
      }
    }
  },
)

test('B116: logout from another site asks the user; the provider of the login needs no consent', options, async () => {
  const client = { backchannel_logout_uri: 'http://127.0.0.1:1/', backchannel_logout_session_required: true }
  const entity = '${contexts.oauth2Info.id_token_claims.sid}'
  await using at = await openIdGateway({ entity, client, provider: { backchannelLogout: { enabled: true } } })
  const browser = new BrowserLike()
  const page = `${at.gateway.url}/app/page`
  const logout = `${at.gateway.url}/app/oidc/logout`
  const crossSite = { 'Sec-Fetch-Site': 'cross-site' }
  const { text: sid } = await logIn(browser, page)
  assert.ok(sid !== '')
  for (const [query, headers] of [
    ['', { ...crossSite, Referer: 'https://evil.example/' }],
    ['?sid=another', crossSite],
    [`?sid=${sid}&iss=https://evil.example`, crossSite],
    ['', { Origin: 'https://evil.example' }],
  ] as const) {
    const asked = await browser.ask(`${logout}${query}`, { headers })
    assert.match(asked.text, /Do you want to log out\?<.*<a href="logout">Log out</)
    assert.equal((await browser.ask(page)).status, 200, query)
  }
  const asked = await browser.ask(`${logout}?goto=/bye?a=1`, { headers: crossSite })
  assert.match(asked.text, /<a href="logout\?goto=[^"]*%2Fbye%3Fa%3D1">/)
  assert.equal((await browser.ask(`${logout}?goto=https://evil.example`, { headers: crossSite })).status, 400)
  for (const [query, headers] of [
    [`?sid=${sid}&iss=${at.provider.url}`, crossSite],
    ['', { ...crossSite, Referer: `${at.provider.url}/` }],
    ['', { 'Sec-Fetch-Site': 'same-site' }],
    ['', { 'Sec-Fetch-Site': 'none' }],
  ] as const) {
    const other = new BrowserLike()
    const own = (await logIn(other, page)).text
    await other.ask(`${logout}${query.replace(sid, own)}`, { headers })
    assert.equal((await other.ask(page)).status, 302, JSON.stringify(headers))
  }
})

test('login?registration=&issuer=&goto= uses the given registration, and redirects to goto', options, async () => {
  await using at = await openIdGateway()
  const url = `${at.gateway.url}/app/oidc/login?registration=gateway&issuer=server&goto=/app/other`
  const page = await logIn(new BrowserLike(), url)
  assert.match(page.text, /^\/app\/other demo/)
  const unknown = await new BrowserLike().ask(`${at.gateway.url}/app/oidc/login?registration=missing`)
  assert.equal(unknown.status, 400)
})

test(
  'requireLogin: false lets requests pass without user; requireHttps: true refuses those without TLS',
  options,
  async () => {
    await using open = await openIdGateway({ filter: { requireLogin: false } })
    assert.equal((await new BrowserLike().ask(`${open.gateway.url}/app/page`)).status, 200)
    await using closed = await openIdGateway({ filter: { requireHttps: true } })
    assert.equal((await new BrowserLike().ask(`${closed.gateway.url}/app/page`)).status, 403)
  },
)

test('login?discovery= selects the issuer of the domain, and no other server', options, async () => {
  await using at = await openIdGateway({ issuer: { supportedDomains: ['example\\.com', '.*\\.example\\.org'] } })
  const begun = (who: string) =>
    new BrowserLike().ask(`${at.gateway.url}/app/oidc/login?discovery=${encodeURIComponent(who)}`)
  for (const who of ['demo@example.com', 'demo@EXAMPLE.com', 'example.com', 'https://a.example.org/demo']) {
    const { status, headers } = await begun(who)
    assert.deepEqual([status, new URL(headers.get('location') ?? 'about:blank').origin], [302, at.provider.url], who)
  }
  const others = [
    'demo@evil.test',
    'demo@example.com.evil.test',
    'demo@notexample.com',
    '',
    '@',
    'a b',
    'http://127.0.0.1/',
  ]
  for (const who of others) assert.equal((await begun(who)).status, 400, who)
})

test('an unreachable server: 503, and the login works when it is back', options, async () => {
  const at = await openIdGateway()
  await using gateway = at.gateway
  await at.provider[Symbol.asyncDispose]()
  const answer = await new BrowserLike().ask(`${gateway.url}/app/page`)
  assert.equal(answer.status, 503)
  assert.equal(answer.headers.get('retry-after'), '5')
})
