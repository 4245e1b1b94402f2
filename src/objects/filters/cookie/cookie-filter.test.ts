import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SsoTokenContext } from '#contracts'
import { type Filter, respond, type Session, transientSession } from '#http'
import type { JsonValue } from '#json'
import { build, manualClock } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { CookieFilter } from './cookie-filter.ts'

async function made(config: JsonValue = {}) {
  const clock = manualClock(Date.parse('2026-01-01T00:00:00Z'))
  const built = await build<Filter>(CookieFilter, config, { clock })
  const session: Session = transientSession()
  return {
    clock,
    session,
    /** One request: cookies received by the application, and by the client. */
    async visit(url: string, cookie: string | null, set: string[] = [], user: string | null = null) {
      const plain = exchangeFor('GET', url, cookie === null ? {} : { headers: { Cookie: cookie } }).withSession(session)
      const token = { value: 'token', info: {}, loginEndpoint: '', universalId: user }
      const exchange = user === null ? plain : plain.with(SsoTokenContext, token)
      const seen: string[][] = []
      const response = await built.object(exchange, async ({ request }) => {
        seen.push(request.headers.all('cookie') as string[])
        return respond(200, set.length === 0 ? {} : { 'Set-Cookie': set })
      })
      return { app: seen[0], client: response.headers.all('set-cookie') }
    },
    [Symbol.asyncDispose]: () => built[Symbol.asyncDispose](),
  }
}

test('managed cookies are stored in the session and sent to the application', async () => {
  await using filter = await made()
  assert.deepEqual(await filter.visit('http://app/a', null, ['JSESSIONID=1; Path=/']), { app: [], client: [] })
  assert.deepEqual(await filter.visit('http://app/a', 'JSESSIONID=forged'), { app: ['JSESSIONID=1'], client: [] })
})

test('managed cookies of one user are not sent with requests of another', async () => {
  await using filter = await made()
  await filter.visit('http://app/a', null, ['JSESSIONID=1; Path=/'], 'alice')
  assert.deepEqual((await filter.visit('http://app/a', null, [], 'alice')).app, ['JSESSIONID=1'])
  assert.deepEqual((await filter.visit('http://app/a', null, ['JSESSIONID=2; Path=/'], 'bob')).app, [])
  assert.deepEqual((await filter.visit('http://app/a', null, [], 'bob')).app, ['JSESSIONID=2'])
})

test('suppressed cookies are removed from requests and responses', async () => {
  await using filter = await made({ suppressed: ['SSO'], defaultAction: 'RELAY' })
  const { app, client } = await filter.visit('http://app/', 'a=1; sso=2; b=3', ['Sso=x', 'c=4; Path=/'])
  assert.deepEqual([app, client], [['a=1; b=3'], ['c=4; Path=/']])
})

test('relayed cookies are passed on unchanged', async () => {
  await using filter = await made({ relayed: ['a'], defaultAction: 'SUPPRESS' })
  const { app, client } = await filter.visit('http://app/', 'a="1"; b=2', ['a=1; Custom=x', 'b=2'])
  assert.deepEqual([app, client], [['a="1"'], ['a=1; Custom=x']])
})

test('in several lists, managed takes precedence over suppressed, and suppressed over relayed', async () => {
  await using filter = await made({
    managed: ['m'],
    suppressed: ['m', 's'],
    relayed: ['m', 's', 'r'],
    defaultAction: 'RELAY',
  })
  const { client } = await filter.visit('http://app/', null, ['m=1', 's=1', 'r=1'])
  assert.deepEqual(client, ['r=1'])
  assert.deepEqual((await filter.visit('http://app/', 'm=x; s=x; r=x')).app, ['r=x; m=1'])
})

test('managed cookies are sent to the host, path and scheme they were set for', async () => {
  await using filter = await made()
  await filter.visit('https://a.app.example/shop/x', null, [
    'host=1',
    'all=2; Domain=.app.example; Path=/',
    'deep=3; Path=/shop/cart',
    'tls=4; Secure; Path=/',
    'top=6; Domain=example; Path=/',
    'foreign=5; Domain=other.app.example',
  ])
  assert.deepEqual((await filter.visit('https://a.app.example/shop/cart/1', null)).app, [
    'deep=3; host=1; all=2; tls=4',
  ])
  assert.deepEqual((await filter.visit('https://a.app.example/shopping', null)).app, ['all=2; tls=4'])
  assert.deepEqual((await filter.visit('http://b.app.example/shop/x', null)).app, ['all=2'])
  assert.deepEqual((await filter.visit('http://other.app.example/', null)).app, ['all=2'])
  assert.deepEqual((await filter.visit('http://127.0.0.1/', null)).app, [])
})

test('managed cookies expire by Max-Age and Expires, and can be deleted', async () => {
  await using filter = await made()
  await filter.visit('http://app/', null, ['a=1; Max-Age=60', 'b=2; Expires=Thu, 01 Jan 2026 00:02:00 GMT', 'c=3'])
  filter.clock.advance(61_000)
  assert.deepEqual((await filter.visit('http://app/', null)).app, ['b=2; c=3'])
  filter.clock.advance(60_000)
  assert.deepEqual((await filter.visit('http://app/', null, ['c=; Max-Age=0'])).app, ['c=3'])
  assert.deepEqual((await filter.visit('http://app/', null)).app, [])
  assert.equal(filter.session.isEmpty, true)
})

test('a new value replaces the old one; number and length are limited', async () => {
  await using filter = await made()
  await filter.visit('http://app/', null, ['a=1', 'a=2', `long=${'x'.repeat(5_000)}`])
  assert.deepEqual((await filter.visit('http://app/', null)).app, ['a=2'])
  await filter.visit(
    'http://app/',
    null,
    Array.from({ length: 80 }, (_, index) => `n${index}=1`),
  )
  assert.equal((await filter.visit('http://app/', null)).app?.[0]?.split('; ').length, 50)
})

test('invalid list entries are refused', async () => {
  for (const config of [{ managed: [''] }, { defaultAction: 'KEEP' }, { managed: 5 }])
    await assert.rejects(build(CookieFilter, config))
})

test('a cookie for a public suffix is ignored: applications of other owners would get it', async () => {
  await using filter = await made()
  await filter.visit('https://mine.github.io/', null, [
    'a=1; Domain=github.io; Path=/',
    'b=2; Domain=.GitHub.io; Path=/',
    'c=3; Domain=io; Path=/',
    'd=4; Domain=mine.github.io; Path=/',
  ])
  await filter.visit('https://shop.example.co.uk/', null, [
    'e=5; Domain=co.uk; Path=/',
    'f=6; Domain=example.co.uk; Path=/',
  ])
  assert.deepEqual((await filter.visit('https://yours.github.io/', null)).app, [])
  assert.deepEqual((await filter.visit('https://mine.github.io/', null)).app, ['d=4'])
  assert.deepEqual((await filter.visit('https://www.example.co.uk/', null)).app, ['f=6'])
  assert.deepEqual((await filter.visit('https://other.co.uk/', null)).app, [])
})

test('a host that is a public suffix sets host-only cookies', async () => {
  await using filter = await made()
  await filter.visit('https://github.io/', null, ['a=1; Domain=github.io; Path=/'])
  assert.deepEqual((await filter.visit('https://github.io/', null)).app, ['a=1'])
  assert.deepEqual((await filter.visit('https://mine.github.io/', null)).app, [])
})
