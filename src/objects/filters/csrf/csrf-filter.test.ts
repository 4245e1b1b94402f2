import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Filter, respond } from '#http'
import type { JsonValue } from '#json'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { StaticResponseHandler } from '../../handlers/static-response/static-response-handler.ts'
import { CsrfFilter } from './csrf-filter.ts'

const URL = 'http://app.example/'
const made = (config: Record<string, JsonValue> = {}) =>
  build<Filter>(CsrfFilter, { cookieName: 'sid', ...config }, { types: [StaticResponseHandler] })

async function ask(filter: Filter, method: string, headers: Record<string, string | string[]>, setCookie?: string) {
  const passed = async () => respond(200, setCookie === undefined ? {} : { 'Set-Cookie': setCookie })
  const response = await filter(exchangeFor(method, URL, { headers }), passed)
  return { status: response.status, token: response.headers.get('x-csrf-token') }
}

test('a page reads the token from a response and sends it back', async () => {
  await using built = await made()
  const { status, token } = await ask(built.object, 'GET', { Cookie: 'sid=abc' })
  assert.equal(status, 200)
  assert.match(token as string, /^[\w-]{43}$/)
  assert.equal((await ask(built.object, 'POST', { Cookie: 'sid=abc', 'X-CSRF-Token': token as string })).status, 200)
})

test('a request without the token is rejected, and the response has the token', async () => {
  await using built = await made()
  const refused = await ask(built.object, 'POST', { Cookie: 'sid=abc' })
  assert.equal(refused.status, 403)
  assert.equal(
    (await ask(built.object, 'POST', { Cookie: 'sid=abc', 'X-CSRF-Token': refused.token as string })).status,
    200,
  )
})

test('a token of another session, a changed, duplicate or empty token is rejected', async () => {
  await using built = await made()
  const own = (await ask(built.object, 'GET', { Cookie: 'sid=abc' })).token as string
  const other = (await ask(built.object, 'GET', { Cookie: 'sid=xyz' })).token as string
  for (const token of [other, `${own}A`, own.slice(1), '', own.toUpperCase()]) {
    assert.equal((await ask(built.object, 'DELETE', { Cookie: 'sid=abc', 'X-CSRF-Token': token })).status, 403, token)
  }
  assert.equal((await ask(built.object, 'POST', { Cookie: 'sid=abc', 'X-CSRF-Token': [own, own] })).status, 403)
})

test('with several values of the cookie, the token of one of them is rejected, that of the response accepted', async () => {
  await using built = await made()
  const Cookie = 'sid=victim; sid=planted'
  for (const value of ['victim', 'planted']) {
    const { token } = await ask(built.object, 'GET', { Cookie: `sid=${value}` })
    assert.equal((await ask(built.object, 'POST', { Cookie, 'X-CSRF-Token': token as string })).status, 403, value)
  }
  const { token } = await ask(built.object, 'GET', { Cookie })
  assert.equal((await ask(built.object, 'POST', { Cookie, 'X-CSRF-Token': token as string })).status, 200)
  // Which of them a new value replaces is known to the browser only.
  assert.equal((await ask(built.object, 'GET', { Cookie }, 'sid=new')).token, null)
})

test('a WebSocket handshake with the cookie passes for pages of the same host only', async () => {
  await using built = await made()
  const handshake = async (headers: Record<string, string>) =>
    (await ask(built.object, 'GET', { Cookie: 'sid=abc', Upgrade: 'websocket', ...headers })).status
  for (const headers of [
    { Origin: 'https://evil.example' },
    { Origin: 'https://app.example.evil.example' },
    { Origin: 'null' },
    { 'Sec-Fetch-Site': 'same-site', Origin: 'http://app.example' },
  ])
    assert.equal(await handshake(headers), 403, JSON.stringify(headers))
  for (const headers of [{ Origin: 'http://app.example' }, { Origin: 'https://app.example' }, {}])
    assert.equal(await handshake(headers as Record<string, string>), 200, JSON.stringify(headers))
  const { token } = await ask(built.object, 'GET', { Cookie: 'sid=abc' })
  assert.equal(await handshake({ Origin: 'https://evil.example', 'X-CSRF-Token': token as string }), 200)
  assert.equal((await ask(built.object, 'GET', { Upgrade: 'websocket', Origin: 'https://evil.example' })).status, 200)
})

test('without the session cookie every request passes, and no token is sent', async () => {
  await using built = await made()
  assert.deepEqual(await ask(built.object, 'POST', { Cookie: 'other=1' }), { status: 200, token: null })
})

test('a response that sets the cookie has the token of the new session', async () => {
  await using built = await made()
  const { token } = await ask(built.object, 'POST', {}, 'sid=new; Path=/')
  assert.equal(token, (await ask(built.object, 'GET', { Cookie: 'sid=new' })).token)
})

test('excludeSafeMethods: false requires the token for GET, HEAD and OPTIONS too', async () => {
  await using strict = await made({ excludeSafeMethods: false })
  await using usual = await made()
  for (const method of ['GET', 'HEAD', 'OPTIONS']) {
    assert.equal((await ask(strict.object, method, { Cookie: 'sid=abc' })).status, 403)
    assert.equal((await ask(usual.object, method, { Cookie: 'sid=abc' })).status, 200)
  }
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'get'])
    assert.equal((await ask(usual.object, method, { Cookie: 'sid=abc' })).status, 403)
})

test('failureHandler handles rejected requests', async () => {
  const failureHandler = { type: 'StaticResponseHandler', config: { status: 419 } }
  await using built = await made({ failureHandler })
  const refused = await ask(built.object, 'POST', { Cookie: 'sid=abc' })
  assert.equal(refused.status, 419)
  assert.notEqual(refused.token, null)
})

test('headerName sets the header', async () => {
  await using built = await made({ headerName: 'X-Proof' })
  const response = await built.object(exchangeFor('GET', URL, { headers: { Cookie: 'sid=1' } }), async () =>
    respond(200),
  )
  assert.ok(response.headers.has('x-proof'))
})

for (const [name, config, message] of [
  ['no cookieName', {}, /cookieName/],
  ['an invalid header name', { cookieName: 'a', headerName: 'a b' }, /headerName/],
] as const) {
  test(`refused: ${name}`, async () => {
    await assert.rejects(build(CsrfFilter, config), (error: Error & { problems?: { pointer: string }[] }) => {
      assert.match(JSON.stringify(error.problems), message)
      return true
    })
  })
}
