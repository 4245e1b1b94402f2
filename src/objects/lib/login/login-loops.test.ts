import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Exchange, parseSetCookie, respond } from '#http'
import { exchangeFor } from '#test/exchange'
import { loginLoops } from './login-loops.ts'

const NOW = 1_700_000_000_000
const URL = 'https://app.test/page'

/** The next request of a browser after a completed login. */
function afterLogin(exchange: Exchange, route: string, now: number): Exchange {
  const response = respond(302)
  loginLoops.count(response, exchange, route, now)
  const cookies = response.headers.all('set-cookie').map(parseSetCookie)
  for (const cookie of cookies) assert.deepEqual([cookie.maxAge, cookie.secure, cookie.httpOnly], [10, true, true])
  const Cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
  return exchangeFor('GET', URL, { headers: { Cookie } })
}

test('the third login of a route within ten seconds counts as a loop', () => {
  const first = exchangeFor('GET', URL)
  const second = afterLogin(first, 'a', NOW)
  assert.equal(loginLoops.isLooping(second, 'a', NOW), false)
  const third = afterLogin(second, 'a', NOW + 3_000)
  assert.equal(loginLoops.isLooping(third, 'a', NOW + 3_000), true)
  assert.equal(loginLoops.isLooping(third, 'b', NOW + 3_000), false, 'another route')
  assert.equal(loginLoops.isLooping(third, 'a', NOW + 10_000), false, 'the first login is no longer in the window')
})

test('a cookie with a malformed value or a future time is ignored', () => {
  const [name] = (afterLogin(exchangeFor('GET', URL), 'a', NOW).request.headers.get('cookie') ?? '').split('=')
  for (const value of ['', 'x!y', '1.2.3', `${(NOW + 1).toString(36)}.${(NOW + 2).toString(36)}`]) {
    const exchange = exchangeFor('GET', URL, { headers: { Cookie: `${name}=${value}` } })
    assert.equal(loginLoops.isLooping(exchange, 'a', NOW), false, value)
  }
})

test('a logout resets the count, and the cookie is not passed on to applications', () => {
  const exchange = afterLogin(exchangeFor('GET', URL), 'a', NOW)
  const response = respond(302)
  loginLoops.reset(response, exchange, 'a')
  assert.equal(parseSetCookie(response.headers.get('set-cookie') as string).maxAge, 0)
  loginLoops.strip(exchange)
  assert.equal(exchange.request.headers.get('cookie'), null)
})
