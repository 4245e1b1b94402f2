// AuthorizationCodeOAuth2ClientFilter with faults of the provider, or of a proxy in front of it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BrowserLike } from '#test/browser-like'
import { type Fault, HTML, intercept, logIn, openIdGateway, until } from '#test/openid-gateway'
import { within } from '#test/waiting'

const options = { timeout: 60_000 }

test('a refresh that fails without a rejection of the token keeps the session', options, async () => {
  await using at = await openIdGateway({ ttl: { AccessToken: 1 } })
  const url = `${at.gateway.url}/app/page`
  const browser = new BrowserLike()
  assert.equal((await logIn(browser, url)).status, 200)
  const faults: readonly Fault[] = [
    [503, 'text/html', HTML],
    [400, 'text/html', HTML],
    [200, 'text/html', HTML],
    [429, 'application/json', '{"error":"invalid_grant"}'],
    [401, 'application/json', '{"error":"invalid_client"}'],
  ]
  for (const fault of faults) {
    const count = intercept(at.provider, '/token', fault)
    const page = await until(browser, url, () => count.requests > 0)
    assert.deepEqual([page.status, page.headers.get('retry-after')], [503, '5'], fault.join(' '))
  }
  at.provider.intercept = () => false
  assert.equal((await until(browser, url, ({ status }) => status !== 503)).status, 200, 'the tokens were kept')
  intercept(at.provider, '/token', [400, 'application/json', '{"error":"invalid_grant"}'])
  assert.equal((await until(browser, url, ({ status }) => status !== 200)).status, 302)
})

test(
  'an application that rejects every access token causes one refresh, and its 401 is passed on',
  options,
  async () => {
    const challenge = 'Bearer error="invalid_token"'
    const handler = {
      type: 'StaticResponseHandler',
      config: { status: 401, headers: { 'WWW-Authenticate': [challenge] } },
    }
    await using at = await openIdGateway({ handler })
    let refreshes = 0
    at.provider.provider.on('grant.success', (context) => {
      if (context.oidc.params?.['grant_type'] === 'refresh_token') refreshes += 1
    })
    const browser = new BrowserLike()
    const pages = [await logIn(browser, `${at.gateway.url}/app/page`)]
    for (let request = 0; request < 4; request += 1) pages.push(await browser.ask(`${at.gateway.url}/app/page`))
    for (const page of pages)
      assert.deepEqual([page.status, page.headers.get('www-authenticate')], [401, challenge], page.text)
    assert.equal(refreshes, 1)
  },
)

test(
  'a logout while the metadata of the provider can not be read: 503, and the page says where the user is logged out',
  options,
  async () => {
    const oAuth2SessionKey = 'shared'
    await using at = await openIdGateway({ filter: { oAuth2SessionKey } })
    const config = { clientId: 'gateway', issuer: 'server', scopes: ['openid'], tokenEndpointAuthMethod: 'none' }
    const filter = {
      type: 'AuthorizationCodeOAuth2ClientFilter',
      config: {
        clientEndpoint: '/other/oidc',
        requireHttps: false,
        registrations: [{ type: 'ClientRegistration', config }],
        openIdEndSessionOnLogout: true,
        oAuth2SessionKey,
      },
    }
    await at.gateway.deploy('other', {
      condition: "${find(request.uri.path, '^/other')}",
      // Metadata that were never read: those that were are kept.
      heap: [{ name: 'server', type: 'Issuer', config: { wellKnownEndpoint: 'http://127.0.0.1:1/metadata' } }],
      handler: {
        type: 'Chain',
        config: { filters: [filter], handler: { type: 'StaticResponseHandler', config: { status: 200 } } },
      },
    })
    const browser = new BrowserLike()
    assert.equal((await logIn(browser, `${at.gateway.url}/app/page`)).status, 200)
    const page = await browser.ask(`${at.gateway.url}/other/oidc/logout?goto=/goodbye`)
    assert.equal(page.status, 503)
    assert.match(page.text, /You are logged out of this site only/)
    assert.equal((await browser.ask(`${at.gateway.url}/app/page`)).status, 302, 'the login has ended here')
    assert.ok(at.gateway.log.lines.some((line) => line.includes('GW_FILTER_SESSION_NOT_ENDED')))
  },
)

const NAME = '${contexts.oauth2Info.id_token_claims.sub} ${contexts.oauth2Info.user_info.name}'
const TYPES = { javascript: 'javascript', groovy: 'x-groovy' }
test('tokens that are refreshed while the user logs out do not log in again', options, async () => {
  // The session has another value: it is not empty after the logout, and is not deleted.
  const keepCart = {
    type: 'AssignmentFilter',
    config: { onRequest: [{ target: '${session.cart}', value: 'full' }] },
  }
  const page = { type: 'StaticResponseHandler', config: { status: 200, entity: 'a page' } }
  const handler = { type: 'Chain', config: { filters: [keepCart], handler: page } }
  await using at = await openIdGateway({ ttl: { AccessToken: 1 }, handler })
  const url = `${at.gateway.url}/app/page`
  const browser = new BrowserLike()
  assert.equal((await logIn(browser, url)).status, 200)
  const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const serve = at.provider.provider.callback()
  at.provider.intercept = (request, response) => {
    if (request.url !== '/token') return false
    asked.resolve()
    void released.promise.then(() => serve(request, response))
    return true
  }
  let isAsked = false
  void asked.promise.then(() => {
    isAsked = true
  })
  const refreshing = until(browser, url, () => isAsked)
  await within('the tokens are refreshed', asked.promise)
  assert.equal((await browser.ask(`${at.gateway.url}/app/oidc/logout`)).status, 200)
  released.resolve()
  assert.equal((await refreshing).status, 200, 'it began before the logout')
  assert.equal((await browser.ask(url)).status, 302, 'logged out')
})

const SUBJECT = '${contexts.oauth2Info.id_token_claims.sub}'

for (const [userInfo, entity, requests, text] of [
  ['auto', SUBJECT, 0, 'demo'],
  ['auto', NAME, 1, 'demo demo of test'],
  ['always', SUBJECT, 1, 'demo'],
  ['never', NAME, 0, 'demo '],
] as const) {
  test(`userInfo ${userInfo}: ${requests} requests for a page that shows "${text}"`, options, async () => {
    await using at = await openIdGateway({ registration: { userInfo }, entity })
    let asked = 0
    at.provider.intercept = ({ url }) => {
      if (url === '/me') asked += 1
      return false
    }
    const browser = new BrowserLike()
    assert.equal((await logIn(browser, `${at.gateway.url}/app/page`)).text, text)
    assert.equal((await browser.ask(`${at.gateway.url}/app/page`)).text, text)
    assert.equal(asked, requests)
  })
}

for (const [language, source] of [
  ['javascript', 'return new Response({ status: 200, entity: String(contexts.oauth2Info.user_info?.name) })'],
  ['groovy', 'def response = new Response(Status.OK); response.entity = contexts.oauth2Info.user_info.name; response'],
] as const) {
  test(`a script in ${language} that mentions user_info gets it`, options, async () => {
    const handler = { type: 'ScriptableHandler', config: { type: `application/${TYPES[language]}`, source } }
    await using at = await openIdGateway({ handler })
    assert.equal((await logIn(new BrowserLike(), `${at.gateway.url}/app/page`)).text, 'demo of test')
  })
}

for (const [name, userInfo, fault] of [
  ['refused', 'auto', [403, 'application/json', '{"error":"insufficient_scope"}']],
  ['refused', 'always', [401, '', '']],
  ['of another user', 'auto', [200, 'application/json', '{"sub":"other"}']],
] as const) {
  test(`user info that is ${name} is null and ends no session (${userInfo})`, options, async () => {
    await using at = await openIdGateway({ registration: { userInfo }, entity: NAME })
    const count = intercept(at.provider, '/me', fault)
    const browser = new BrowserLike()
    const page = await logIn(browser, `${at.gateway.url}/app/page`)
    assert.deepEqual([page.status, page.text], [200, 'demo '])
    assert.equal((await browser.ask(`${at.gateway.url}/app/page`)).status, 200)
    assert.equal(count.requests, 1)
    assert.ok(at.gateway.log.lines.some((line) => line.includes('user info rejected')))
  })
}

test('an HTML error page instead of user info: 503, and the session is kept', options, async () => {
  await using at = await openIdGateway({ entity: NAME })
  intercept(at.provider, '/me', [401, 'text/html', HTML])
  const browser = new BrowserLike()
  const page = await logIn(browser, `${at.gateway.url}/app/page`)
  assert.deepEqual([page.status, page.headers.get('retry-after')], [503, '5'])
  at.provider.intercept = () => false
  const after = await browser.ask(`${at.gateway.url}/app/page`)
  assert.deepEqual([after.status, after.text], [200, 'demo demo of test'])
})
