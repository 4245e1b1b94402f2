import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Exchange, parseSetCookie, respond } from '#http'
import { exchangeFor } from '#test/exchange'
import { loginRounds } from './login-rounds.ts'

const NOW = 1_700_000_000_000
const URL = 'https://app.test/page'

/** The next request of a browser after a login that ended. */
function afterLogin(exchange: Exchange, route: string, now: number): Exchange {
  const response = respond(302)
  loginRounds.count(response, exchange, route, now)
  const cookies = response.headers.all('set-cookie').map(parseSetCookie)
  for (const cookie of cookies) assert.deepEqual([cookie.maxAge, cookie.secure, cookie.httpOnly], [10, true, true])
  const Cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
  return exchangeFor('GET', URL, { headers: { Cookie } })
}

test('the third login of a route within ten seconds is a circle', () => {
  const first = exchangeFor('GET', URL)
  const second = afterLogin(first, 'a', NOW)
  assert.equal(loginRounds.isCircling(second, 'a', NOW), false)
  const third = afterLogin(second, 'a', NOW + 3_000)
  assert.equal(loginRounds.isCircling(third, 'a', NOW + 3_000), true)
  assert.equal(loginRounds.isCircling(third, 'b', NOW + 3_000), false, 'another route')
  assert.equal(loginRounds.isCircling(third, 'a', NOW + 10_000), false, 'the first login is no longer in the window')
})

test('a cookie that holds something else, or a time to come, counts for nothing', () => {
  const [name] = (afterLogin(exchangeFor('GET', URL), 'a', NOW).request.headers.get('cookie') ?? '').split('=')
  for (const value of ['', 'x!y', '1.2.3', `${(NOW + 1).toString(36)}.${(NOW + 2).toString(36)}`]) {
    const exchange = exchangeFor('GET', URL, { headers: { Cookie: `${name}=${value}` } })
    assert.equal(loginRounds.isCircling(exchange, 'a', NOW), false, value)
  }
})

test('a logout begins a new count, and the cookie does not go on to applications', () => {
  const exchange = afterLogin(exchangeFor('GET', URL), 'a', NOW)
  const response = respond(302)
  loginRounds.reset(response, exchange, 'a')
  assert.equal(parseSetCookie(response.headers.get('set-cookie') as string).maxAge, 0)
  loginRounds.strip(exchange)
  assert.equal(exchange.request.headers.get('cookie'), null)
})
