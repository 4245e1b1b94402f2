import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseSetCookie, type Response, respond } from '#http'
import { exchangeFor } from '#test/exchange'
import { LOGIN_LIFETIME, LoginCookies } from './login-cookies.ts'

const logins = new LoginCookies('login', { isPosted: false })
const LOGIN = { state: 'a state', nonce: 'n', goto: '/page' }
const HERE = 'https://app.test/page'
const NOW = 1_700_000_000_000

const sent = (response: Response): string =>
  response.headers
    .all('set-cookie')
    .map(parseSetCookie)
    .map(({ name, value }) => `${name}=${value}`)
    .join('; ')

function begun(cookies = logins, url = HERE): Response {
  const response = respond(302)
  cookies.remember(response, exchangeFor('GET', url), LOGIN, NOW)
  return response
}

test('a login is known to the browser that began it, by its state', () => {
  const exchange = exchangeFor('GET', HERE, { headers: { Cookie: sent(begun()) } })
  assert.deepEqual({ ...logins.recall(exchange, 'a state', NOW) }, { ...LOGIN, at: NOW })
  assert.equal(logins.recall(exchange, 'another', NOW), null)
  assert.equal(logins.recall(exchangeFor('GET', HERE), 'a state', NOW), null)
})

test('a login that was begun too long ago is none, though a client may have kept its cookie', () => {
  const exchange = exchangeFor('GET', HERE, { headers: { Cookie: sent(begun()) } })
  assert.notEqual(logins.recall(exchange, 'a state', NOW + LOGIN_LIFETIME), null)
  assert.equal(logins.recall(exchange, 'a state', NOW + LOGIN_LIFETIME + 1), null)
})

test('B44: the cookie is of this host alone over TLS, and goes with forms of other sites only where it must', () => {
  assert.match(
    begun().headers.get('set-cookie') as string,
    /^__Host-login-[\w-]{10}=[\w-]+; Path=\/; Max-Age=600; SameSite=Lax; Secure; HttpOnly$/,
  )
  const posted = new LoginCookies('login', { isPosted: true })
  assert.match(begun(posted).headers.get('set-cookie') as string, /SameSite=None; Secure/)
  assert.match(
    begun(posted, 'http://app.test/').headers.get('set-cookie') as string,
    /^login-.*SameSite=Lax; HttpOnly$/,
  )
})

test('what is no login, of another state, or too large is none', () => {
  const [name = ''] = sent(begun()).split('=')
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  for (const value of [
    '',
    'x',
    encoded([]),
    encoded(LOGIN),
    encoded({ ...LOGIN, at: 'now' }),
    encoded({ ...LOGIN, at: NOW, state: 'b' }),
    encoded({ ...LOGIN, at: NOW, x: 'y'.repeat(4_000) }),
  ]) {
    const exchange = exchangeFor('GET', HERE, { headers: { Cookie: `${name}=${value}` } })
    assert.equal(logins.recall(exchange, 'a state', NOW), null)
  }
})

test('the cookies do not go on with a request, others do', () => {
  const exchange = exchangeFor('GET', HERE, { headers: { Cookie: `a=b; ${sent(begun())}; login=1` } })
  logins.strip(exchange)
  assert.deepEqual(Object.keys(exchange.request.cookies), ['a', 'login'])
})
