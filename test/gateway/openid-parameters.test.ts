// Parameters of authorization requests, and logins that have to be stronger or more recent.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BrowserLike } from '#test/browser-like'
import { logIn, openIdGateway } from '#test/openid-gateway'

const options = { timeout: 60_000 }

/** The parameters of the authorization request. */
async function asked(browser: BrowserLike, url: string): Promise<URLSearchParams> {
  const { status, headers, text } = await browser.ask(url)
  assert.equal(status, 302, text)
  return new URL(headers.get('location') as string).searchParams
}

test('parameters of the configuration and of login go to the server, others do not', options, async () => {
  await using at = await openIdGateway({
    registration: {
      parameters: {
        kc_idp_hint: 'partner',
        ui_locales: "${request.queryParams['lang'][0]}",
        login_hint: "${request.queryParams['user'][0]}",
      },
      passParameters: ['login_hint', 'prompt', 'max_age'],
    },
    filter: { prompt: 'consent' },
  })
  const implicit = await asked(new BrowserLike(), `${at.gateway.url}/app/page?lang=de&login_hint=mallory&acr_values=0`)
  assert.deepEqual(
    ['kc_idp_hint', 'ui_locales', 'login_hint', 'acr_values', 'prompt'].map((name) => implicit.get(name)),
    ['partner', 'de', null, null, 'consent'],
  )
  const login = `${at.gateway.url}/app/oidc/login?login_hint=demo%40example.com&prompt=login&scope=admin&state=x&max_age=60`
  const explicit = await asked(new BrowserLike(), login)
  assert.deepEqual(
    ['kc_idp_hint', 'login_hint', 'prompt', 'max_age', 'scope'].map((name) => explicit.get(name)),
    ['partner', 'demo@example.com', 'login', '60', 'openid profile offline_access'],
  )
  assert.notEqual(explicit.get('state'), 'x')
  for (const bad of ['max_age=soon', `login_hint=${'x'.repeat(1_001)}`])
    assert.equal((await new BrowserLike().ask(`${at.gateway.url}/app/oidc/login?${bad}`)).status, 400)
})

test('a login that is older than max_age is rejected', options, async () => {
  await using at = await openIdGateway({ registration: { parameters: { max_age: '60' } } })
  const browser = new BrowserLike()
  assert.equal((await logIn(browser, `${at.gateway.url}/app/page`)).status, 200)
  // A server that does not authenticate the user again, as if max_age had been removed from the URL.
  browser.changeCookie(at.gateway.url, 'gateway-session', () => null)
  const begun = await browser.ask(`${at.gateway.url}/app/page`)
  const url = new URL(begun.headers.get('location') as string)
  assert.equal(url.searchParams.get('max_age'), '60')
  url.searchParams.delete('max_age')
  const page = await browser.open(url.href)
  assert.equal(page.status, 500, 'the ID token does not say when the user authenticated')
})

/** The class of logins at the provider. */
function classOfLogins(provider: { readonly provider: unknown }, first: string): { acr: string } {
  const login = { acr: first }
  const { Session } = provider.provider as { Session: { prototype: object } }
  Object.defineProperty(Session.prototype, 'acr', { get: () => login.acr, set: () => {}, configurable: true })
  return login
}

const configuration = { acrValues: ['silver', 'gold'], claims: { openid: ['sub'], profile: ['name'], acr: null } }

test(
  'acrValues: a login of another class is repeated with acr_values, and one that stays weak is 403',
  options,
  async () => {
    await using at = await openIdGateway({
      configuration,
      filter: { acrValues: ['gold', 'platinum'] },
      entity: '${contexts.oauth2Info.id_token_claims.acr}',
    })
    const login = classOfLogins(at.provider, 'silver')
    const browser = new BrowserLike()
    const url = `${at.gateway.url}/app/page`
    const weak = await logIn(browser, url)
    assert.equal(weak.status, 403)
    assert.match(weak.text, /unmet_authentication_requirements/)
    assert.equal(new URL(browser.trail[0] as string).searchParams.get('acr_values'), 'gold platinum')
    login.acr = 'gold'
    const page = await browser.open(url)
    assert.deepEqual([page.status, page.text], [200, 'gold'])
  },
)

test('RFC 9470: the application requires a stronger login, and gets the request with one', options, async () => {
  const isGold = "${contexts.oauth2Info.id_token_claims.acr == 'gold'}"
  const answer = (status: number, headers: object, entity: string) => ({
    type: 'StaticResponseHandler',
    config: { status, headers, entity },
  })
  const challenge = 'Bearer error="insufficient_user_authentication", acr_values="gold", max_age="300"'
  await using at = await openIdGateway({
    configuration,
    handler: {
      type: 'DispatchHandler',
      config: {
        bindings: [
          { condition: isGold, handler: answer(200, {}, 'the safe') },
          { handler: answer(401, { 'WWW-Authenticate': [challenge] }, 'no') },
        ],
      },
    },
  })
  const login = classOfLogins(at.provider, 'silver')
  const browser = new BrowserLike()
  const url = `${at.gateway.url}/app/safe`
  const refused = await logIn(browser, url)
  assert.equal(refused.status, 403, 'the second login is as weak as the first')
  assert.equal(browser.trail.map((each) => new URL(each).searchParams.get('acr_values')).filter(Boolean)[0], 'gold')
  login.acr = 'gold'
  const page = await browser.open(url)
  assert.deepEqual([page.status, page.text], [200, 'the safe'])
  login.acr = 'silver'
  const script = new BrowserLike()
  await logIn(script, `${at.gateway.url}/app/oidc/login?goto=/elsewhere`)
  const data = await script.ask(url, { headers: { 'Sec-Fetch-Mode': 'cors' } })
  assert.deepEqual([data.status, data.headers.get('www-authenticate')], [401, challenge], 'scripts see the challenge')
})

test(
  'a requirement of the application that no login satisfies: a failure page, no redirect loop',
  options,
  async () => {
    const challenge = 'Bearer error="insufficient_user_authentication", max_age="300"'
    await using at = await openIdGateway({
      handler: { type: 'StaticResponseHandler', config: { status: 401, headers: { 'WWW-Authenticate': [challenge] } } },
    })
    const page = await logIn(new BrowserLike(), `${at.gateway.url}/app/safe`)
    assert.equal(page.status, 500, page.url)
  },
)
