import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SessionManager } from '#contracts'
import { parseSetCookie, Response } from '#http'
import type { JsonValue } from '#json'
import { build, manualClock } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { InMemorySessionManager } from './in-memory-session-manager.ts'

const URL = 'http://gateway.example/page'

async function manager(config: JsonValue = {}) {
  const clock = manualClock()
  const built = await build<SessionManager>(InMemorySessionManager, config, { clock })
  return {
    clock,
    /** A request with an open session that is not saved yet. */
    async begin(cookie: string) {
      const open = await built.object.open(exchangeFor('GET', URL, { headers: { Cookie: cookie } }))
      const response = new Response(200)
      const end = async () => {
        await open.save(response)
        return response.headers.all('set-cookie')
      }
      return { session: open.session, end }
    },
    /** One request: returns the content of the session, after `use` has changed it, and the Set-Cookie fields of the response. */
    async visit(cookie: string | null, use: (session: import('#http').Session) => void = () => {}, url = URL) {
      const exchange = exchangeFor('GET', url, cookie === null ? {} : { headers: { Cookie: cookie } })
      const open = await built.object.open(exchange)
      const before = Object.fromEntries([...open.session.keys()].map((key) => [key, open.session.get(key)]))
      use(open.session)
      const response = new Response(200)
      await open.save(response)
      return { before, cookies: response.headers.all('set-cookie'), exchange }
    },
    [Symbol.asyncDispose]: () => built[Symbol.asyncDispose](),
  }
}

const idOf = (cookies: readonly string[]) => parseSetCookie(cookies[0] as string).value

test('a session is created with its first value and found again by its cookie', async () => {
  await using sessions = await manager()
  const nothing = await sessions.visit(null)
  assert.deepEqual(nothing.cookies, [])
  const first = await sessions.visit(null, (session) => session.set('user', { name: 'demo' }))
  assert.match(first.cookies[0] as string, /^gateway-session=[A-Za-z0-9_-]{43}; Path=\/; SameSite=Lax; HttpOnly$/)
  const second = await sessions.visit(`gateway-session=${idOf(first.cookies)}`)
  assert.equal(JSON.stringify(second.before), '{"user":{"name":"demo"}}')
  assert.deepEqual(second.cookies, [])
})

test('over TLS the cookie is Secure', async () => {
  await using sessions = await manager()
  const { cookies } = await sessions.visit(null, (session) => session.set('a', 1), 'https://gateway.example/')
  assert.equal(parseSetCookie(cookies[0] as string).secure, true)
})

test('the cookie is not sent upstream; others are unchanged', async () => {
  await using sessions = await manager()
  const { exchange } = await sessions.visit('a=1; gateway-session=x; b="2"')
  assert.deepEqual(exchange.request.headers.all('cookie'), ['a=1; b="2"'])
  const alone = await sessions.visit('gateway-session=x')
  assert.equal(alone.exchange.request.headers.has('cookie'), false)
})

test('an id that the gateway did not generate is not adopted', async () => {
  await using sessions = await manager()
  const made = 'A'.repeat(43)
  const { cookies } = await sessions.visit(`gateway-session=${made}`, (session) => session.set('a', 1))
  assert.notEqual(idOf(cookies), made)
})

test('concurrent requests that change different values do not overwrite each other', async () => {
  await using sessions = await manager()
  const cookie = `gateway-session=${idOf((await sessions.visit(null, (session) => session.set('a', 1))).cookies)}`
  await sessions.visit(cookie, (session) => {
    session.set('b', 2)
  })
  await sessions.visit(cookie, (session) => {
    session.delete('a')
    session.set('c', 3)
  })
  assert.deepEqual((await sessions.visit(cookie)).before, { b: 2, c: 3 })
})

test('a value that another request has removed meanwhile is not set again; one that is new is', async () => {
  await using sessions = await manager()
  const { cookies } = await sessions.visit(null, (session) => {
    session.set('tokens', 'old')
    session.set('cart', 1)
  })
  const cookie = `gateway-session=${idOf(cookies)}`
  const refresh = await sessions.begin(cookie)
  await sessions.visit(cookie, (session) => void session.delete('tokens'))
  refresh.session.set('tokens', 'refreshed')
  refresh.session.set('cart', 2)
  refresh.session.set('seen', true)
  await refresh.end()
  assert.deepEqual((await sessions.visit(cookie)).before, { cart: 2, seen: true })
})

test('a session expires after its idle timeout', async () => {
  await using sessions = await manager({ timeout: '10 minutes' })
  const cookie = `gateway-session=${idOf((await sessions.visit(null, (session) => session.set('a', 1))).cookies)}`
  sessions.clock.advance(9 * 60_000)
  assert.deepEqual((await sessions.visit(cookie)).before, { a: 1 })
  sessions.clock.advance(9 * 60_000)
  assert.deepEqual((await sessions.visit(cookie)).before, { a: 1 })
  sessions.clock.advance(10 * 60_000)
  assert.deepEqual((await sessions.visit(cookie)).before, {})
})

test('an emptied session is deleted with its cookie, and not created again by an in-flight request', async () => {
  await using sessions = await manager()
  const cookie = `gateway-session=${idOf((await sessions.visit(null, (session) => session.set('a', 1))).cookies)}`
  const { cookies } = await sessions.visit(cookie, (session) => session.clear())
  assert.match(cookies[0] as string, /^gateway-session=; Path=\/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=0;/)
  assert.deepEqual((await sessions.visit(cookie)).before, {})
})

test('a renewed session keeps its content under a new id, and the old id is unknown', async () => {
  await using sessions = await manager()
  const old = idOf((await sessions.visit(null, (session) => session.set('a', 1))).cookies)
  const renewed = await sessions.visit(`gateway-session=${old}`, (session) => {
    session.renew?.()
    session.set('user', 'demo')
  })
  const id = idOf(renewed.cookies)
  assert.notEqual(id, old)
  assert.deepEqual((await sessions.visit(`gateway-session=${id}`)).before, { a: 1, user: 'demo' })
  assert.deepEqual((await sessions.visit(`gateway-session=${old}`)).before, {})
})

test('a renewed session contains concurrent changes of other requests', async () => {
  await using sessions = await manager()
  const { cookies } = await sessions.visit(null, (session) => {
    session.set('cart', 1)
    session.set('coupon', 'x')
  })
  const cookie = `gateway-session=${idOf(cookies)}`
  const login = await sessions.begin(cookie)
  await sessions.visit(cookie, (session) => {
    session.set('cart', 2)
    session.delete('coupon')
  })
  login.session.set('user', 'demo')
  login.session.renew?.()
  const renewed = `gateway-session=${idOf(await login.end())}`
  assert.deepEqual((await sessions.visit(renewed)).before, { cart: 2, user: 'demo' })
})

test('a renewal does not create a session again that another request ended', async () => {
  await using sessions = await manager()
  const cookie = `gateway-session=${idOf((await sessions.visit(null, (session) => session.set('a', 1))).cookies)}`
  const login = await sessions.begin(cookie)
  const only = await sessions.begin(cookie)
  await sessions.visit(cookie, (session) => session.clear())
  login.session.set('user', 'demo')
  login.session.renew?.()
  only.session.renew?.()
  assert.deepEqual((await sessions.visit(`gateway-session=${idOf(await login.end())}`)).before, { user: 'demo' })
  assert.match((await only.end())[0] as string, /^gateway-session=; .*Max-Age=0/)
})

test('of several cookies of the name, the one with an existing session is used', async () => {
  await using sessions = await manager()
  const id = idOf((await sessions.visit(null, (session) => session.set('a', 1))).cookies)
  const { before } = await sessions.visit(`gateway-session=${'B'.repeat(43)}; gateway-session=${id}`)
  assert.deepEqual(before, { a: 1 })
})

test('a session that grows too large fails the request, and keeps its earlier content', async () => {
  await using sessions = await manager()
  const cookie = `gateway-session=${idOf((await sessions.visit(null, (session) => session.set('a', 1))).cookies)}`
  const large = sessions.visit(cookie, (session) => session.set('b', 'x'.repeat(300_000)))
  await assert.rejects(large, /larger than 262144 bytes/)
  assert.deepEqual((await sessions.visit(cookie)).before, { a: 1 })
})

test('the cookie has the configured attributes', async () => {
  await using sessions = await manager({
    cookie: { name: 'sid', domain: 'example.com', path: '/app', httpOnly: false, sameSite: 'none' },
  })
  const { cookies } = await sessions.visit(null, (session) => session.set('a', 1))
  assert.match(cookies[0] as string, /^sid=[^;]+; Path=\/app; Domain=example\.com; SameSite=None; Secure$/)
})

const refusals: readonly [name: string, config: JsonValue, message: RegExp][] = [
  ['no time', { timeout: '0 seconds' }, /more than zero/],
  ['a name that is no token', { cookie: { name: 'a b' } }, /\/cookie\/name: expected letters/],
  ['B44: __Host- with a domain', { cookie: { name: '__Host-s', domain: 'a.example' } }, /\/cookie\/domain/],
  ['B44: a public suffix as domain', { cookie: { domain: 'co.uk' } }, /\/cookie\/domain: .*public suffix "co\.uk"/],
  ['B44: one with a dot before it', { cookie: { domain: '.GitHub.io' } }, /\/cookie\/domain: .*public suffix/],
  ['B44: __Host- with a path', { cookie: { name: '__Host-s', path: '/x' } }, /\/cookie\/path/],
  ['B44: __Secure- without Secure', { cookie: { name: '__Secure-s', secure: false } }, /\/cookie\/secure/],
  ['SameSite=None without Secure', { cookie: { sameSite: 'NONE', secure: false } }, /\/cookie\/secure/],
]
for (const [name, config, message] of refusals) {
  test(`refused: ${name}`, async () => {
    await assert.rejects(manager(config), (error: Error & { problems?: { pointer: string; message: string }[] }) => {
      const text = (error.problems ?? []).map(({ pointer, message }) => `${pointer}: ${message}`).join('\n')
      assert.match(text, message)
      return true
    })
  })
}

test('B44: a __Host- cookie is Secure with Path=/, also when it is deleted', async () => {
  await using sessions = await manager({ cookie: { name: '__Host-s' } })
  const { cookies } = await sessions.visit(null, (session) => session.set('a', 1))
  const gone = await sessions.visit(`__Host-s=${idOf(cookies)}`, (session) => session.clear())
  for (const text of [cookies[0], gone.cookies[0]]) {
    const cookie = parseSetCookie(text as string)
    assert.deepEqual([cookie.secure, cookie.httpOnly, cookie.path, cookie.domain], [true, true, '/', undefined])
  }
})
