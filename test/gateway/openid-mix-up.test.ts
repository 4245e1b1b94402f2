// Registrations of several issuers: a server must not get the code of another one (RFC 9700 section 4.4).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BrowserLike } from '#test/browser-like'
import { logIn, openIdGateway, type Parts } from '#test/openid-gateway'

const options = { timeout: 60_000 }

const OTHER_ISSUER = {
  name: 'other server',
  type: 'Issuer',
  config: { authorizeEndpoint: 'https://other.example/authorize', tokenEndpoint: 'https://other.example/token' },
}
const OTHER = {
  type: 'ClientRegistration',
  config: { clientId: 'other', issuer: OTHER_ISSUER, tokenEndpointAuthMethod: 'none' },
}
const filter = {
  registrations: ['client', OTHER],
  loginHandler: { type: 'StaticResponseHandler', config: { status: 401 } },
}

const setting = (parts: Parts) => openIdGateway({ filter, entity: 'a page', ...parts })

test(
  'a registration whose server sends no iss has a callback of its own, and a response elsewhere is refused',
  options,
  async () => {
    await using at = await setting({ callback: 'callback/gateway@server', issuer: { issParameterSupported: false } })
    const login = `${at.gateway.url}/app/oidc/login?registration=gateway&goto=/app/page`
    const browser = new BrowserLike()
    const page = await logIn(browser, login)
    assert.deepEqual([page.status, page.url], [200, `${at.gateway.url}/app/page`])
    const callback = new URL(browser.trail.find((url) => url.includes('/callback')) as string)
    assert.equal(callback.pathname, '/app/oidc/callback/gateway@server')

    let exchanged = 0
    at.provider.intercept = ({ url }) => {
      if (url === '/token') exchanged += 1
      return false
    }
    const answered = async (path: string) => {
      const location = new URL((await browser.ask(login)).headers.get('location') as string)
      assert.equal(location.searchParams.get('redirect_uri'), `${at.gateway.url}/app/oidc/callback/gateway@server`)
      const state = location.searchParams.get('state')
      return (await browser.ask(`${at.gateway.url}/app/oidc/${path}?code=x&state=${state}`)).status
    }
    for (const path of ['callback', 'callback/', 'callback/other@other%20server', 'callback/gateway@server/x'])
      assert.deepEqual([await answered(path), exchanged], [400, 0], path)
    assert.deepEqual(
      [await answered('callback/gateway@server'), exchanged],
      [400, 1],
      'its server does not know the code',
    )
  },
)

test('the names in a callback are encoded', options, async () => {
  await using at = await setting({})
  const { headers } = await new BrowserLike().ask(`${at.gateway.url}/app/oidc/login?registration=other`)
  const redirectUri = new URL(headers.get('location') as string).searchParams.get('redirect_uri')
  assert.equal(redirectUri, `${at.gateway.url}/app/oidc/callback/other@other%20server`)
})

test('a registration whose server sends iss has the shared callback', options, async () => {
  await using at = await setting({})
  const login = `${at.gateway.url}/app/oidc/login?registration=gateway&goto=/app/page`
  const browser = new BrowserLike()
  const page = await logIn(browser, login)
  assert.deepEqual([page.status, page.url], [200, `${at.gateway.url}/app/page`])
  assert.equal(new URL(browser.trail.find((url) => url.includes('/callback')) as string).pathname, '/app/oidc/callback')
})
