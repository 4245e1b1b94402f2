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
  cookies.add(response, exchangeFor('GET', url), LOGIN, NOW)
  return response
}

test('a login is found by its state, only in the browser that started it', () => {
  const exchange = exchangeFor('GET', HERE, { headers: { Cookie: sent(begun()) } })
  assert.deepEqual({ ...logins.find(exchange, 'a state', NOW) }, { ...LOGIN, at: NOW })
  assert.equal(logins.find(exchange, 'another', NOW), null)
  assert.equal(logins.find(exchangeFor('GET', HERE), 'a state', NOW), null)
})

test('an expired login is not accepted, although its cookie is sent', () => {
  const exchange = exchangeFor('GET', HERE, { headers: { Cookie: sent(begun()) } })
  assert.notEqual(logins.find(exchange, 'a state', NOW + LOGIN_LIFETIME), null)
  assert.equal(logins.find(exchange, 'a state', NOW + LOGIN_LIFETIME + 1), null)
})

test('B44: over TLS the cookie is restricted to this host, and is sent with forms of other sites only for form_post', () => {
  assert.match(
    begun().headers.get('set-cookie') as string,
    /^__Host-login-[\w-]{22}=[\w-]+; Path=\/; Max-Age=3600; SameSite=Lax; Secure; HttpOnly$/,
  )
  const posted = new LoginCookies('login', { isPosted: true })
  assert.match(begun(posted).headers.get('set-cookie') as string, /SameSite=None; Secure/)
  assert.match(
    begun(posted, 'http://app.test/').headers.get('set-cookie') as string,
    /^login-.*SameSite=Lax; HttpOnly$/,
  )
})

test('a malformed or too large cookie is not a login', () => {
  const [name = ''] = sent(begun()).split('=')
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  for (const value of [
    '',
    'x',
    encoded([]),
    encoded(LOGIN),
    encoded({ ...LOGIN, at: 'now' }),
    encoded({ ...LOGIN, at: NOW, x: 'y'.repeat(4_000) }),
  ]) {
    const exchange = exchangeFor('GET', HERE, { headers: { Cookie: `${name}=${value}` } })
    assert.equal(logins.find(exchange, 'a state', NOW), null)
  }
})

test('twenty logins of a browser are stored within a size limit, and the oldest is evicted', () => {
  const jar = new Map<string, string>()
  const begin = (state: string, goto: string): void => {
    const Cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = respond(302)
    logins.add(response, exchangeFor('GET', HERE, { headers: { Cookie } }), { ...LOGIN, state, goto }, NOW)
    for (const { name, value, maxAge } of response.headers.all('set-cookie').map(parseSetCookie)) {
      if (maxAge === 0) jar.delete(name)
      else jar.set(name, value)
    }
  }
  const recall = (state: string) => {
    const Cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    return logins.find(exchangeFor('GET', HERE, { headers: { Cookie } }), state, NOW)
  }
  for (let count = 0; count < 20; count += 1) begin(`s${count}`, `https://app.test/page?${'x'.repeat(1_500)}`)
  assert.equal(jar.size, 20)
  assert.ok([...jar.values()].join('').length <= 8_000)
  assert.equal(recall('s0')?.goto.length, 1_522)
  assert.equal(recall('s19')?.goto, 'https://app.test/page')
  begin('s20', 'https://app.test/page')
  assert.equal(jar.size, 20)
  assert.equal(recall('s0'), null)
  assert.notEqual(recall('s1'), null)
})

test('after a login the oldest pending logins are evicted, so that a session in cookies fits', () => {
  const names = Array.from({ length: 20 }, (_, at) => `__Host-login-${String(at).padStart(22, 'x')}`)
  const Cookie = names.map((name) => `${name}=${'v'.repeat(250)}`).join('; ')
  const response = respond(302)
  logins.trim(response, exchangeFor('GET', HERE, { headers: { Cookie } }), 'a state')
  const gone = response.headers.all('set-cookie').map((field) => parseSetCookie(field).name)
  assert.deepEqual(gone, names.slice(0, 13))
  const few = respond(302)
  logins.trim(few, exchangeFor('GET', HERE, { headers: { Cookie: `${names[0]}=v` } }), 'a state')
  assert.equal(few.headers.get('set-cookie'), null)
})

test('the cookies are removed from a request, others are not', () => {
  const exchange = exchangeFor('GET', HERE, { headers: { Cookie: `a=b; ${sent(begun())}; login=1` } })
  logins.strip(exchange)
  assert.deepEqual(Object.keys(exchange.request.cookies), ['a', 'login'])
})
