import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type SessionManager, SessionUnavailableError } from '#contracts'
import { parseSetCookie, Response, type Session } from '#http'
import type { JsonObject } from '#json'
import { openRedis, REDIS_FIELDS, type RedisConnection } from '#redis'
import { defineType, kind } from '#schema'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { freePort } from '#test/nginx'
import { RedisServer, redisMissing } from '#test/redis'
import { waitUntil } from '#test/waiting'
import { RedisSessionManager } from './redis-session-manager.ts'

const options = { skip: redisMissing }
const PATIENT = { timeout: '5 s' }

async function manager(url: string, config: JsonObject = {}) {
  const built = await build<SessionManager>(RedisSessionManager, { url, ...PATIENT, ...config })
  return {
    built,
    async open(cookie: string | null) {
      const exchange = exchangeFor('GET', 'http://a.example/', cookie === null ? {} : { headers: { Cookie: cookie } })
      const opened = await built.object.open(exchange)
      return { exchange, opened, session: opened.session }
    },
    /** One request: the content of the session before `use`, and the cookie of the browser after it. */
    async visit(cookie: string | null, use: (session: Session) => void = () => {}) {
      const { session, opened } = await this.open(cookie)
      const before = Object.fromEntries([...session.keys()].map((key) => [key, session.get(key)]))
      use(session)
      const response = new Response(200)
      await opened.save(response)
      const [set] = response.headers.all('set-cookie').map(parseSetCookie)
      return { before: JSON.stringify(before), set, cookie: set === undefined ? cookie : `${set.name}=${set.value}` }
    },
    [Symbol.asyncDispose]: () => built[Symbol.asyncDispose](),
  }
}

const Insider = defineType({
  name: 'Insider',
  kind: kind<RedisConnection>('Insider'),
  summary: 'A client of Redis without a session cookie.',
  config: REDIS_FIELDS,
  create: openRedis,
})

async function insider({ url }: RedisServer) {
  const built = await build<RedisConnection>(Insider, { url, keyPrefix: '', ...PATIENT })
  const call = (command: string, ...args: (string | number)[]) => built.object.call(command, ...args)
  return {
    call,
    key: async () => String(((await call('KEYS', '*')) as string[])[0]),
    fields: async (key: string) => (await call('HGETALL', key)) as string[],
    [Symbol.asyncDispose]: () => built[Symbol.asyncDispose](),
  }
}

test('sessions stored or ended by one gateway are seen by the other', options, async () => {
  await using server = await RedisServer.start()
  await using one = await manager(server.url)
  await using two = await manager(server.url)
  const nothing = await one.visit(null)
  assert.equal(nothing.set, undefined)
  const { cookie, set } = await one.visit(null, (session) => session.set('user', { name: 'demo' }))
  assert.deepEqual([set?.name, set?.httpOnly, set?.sameSite], ['gateway-redis-session', true, 'Lax'])
  assert.equal((await two.visit(cookie)).before, '{"user":{"name":"demo"}}')
  const ended = await two.visit(cookie, (session) => session.clear())
  assert.equal(ended.set?.maxAge, 0)
  assert.equal((await one.visit(cookie)).before, '{}')
  await using redis = await insider(server)
  assert.equal(await redis.call('DBSIZE'), 0)
})

test('gateways with different prefixes or databases do not share sessions', options, async () => {
  await using server = await RedisServer.start()
  await using one = await manager(server.url)
  await using prefix = await manager(server.url, { keyPrefix: 'other:' })
  await using database = await manager(`${server.url}/1`)
  const { cookie } = await one.visit(null, (session) => session.set('a', 1))
  for (const other of [prefix, database]) assert.equal((await other.visit(cookie)).before, '{}')
})

test(
  'concurrent requests at two gateways that change different values do not overwrite each other',
  options,
  async () => {
    await using server = await RedisServer.start()
    await using one = await manager(server.url)
    await using two = await manager(server.url)
    const { cookie } = await one.visit(null, (session) => session.set('start', 0))
    await Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        (at % 2 === 0 ? one : two).visit(cookie, (session) => session.set(`key ${at}`, at)),
      ),
    )
    const kept = JSON.parse((await one.visit(cookie)).before) as Record<string, number>
    assert.equal(Object.keys(kept).length, 41)
    await two.visit(cookie, (session) => void session.delete('key 7'))
    assert.equal(Object.keys(JSON.parse((await one.visit(cookie)).before)).length, 40)
  },
)

test('a session that another gateway has ended is not created again', options, async () => {
  await using server = await RedisServer.start()
  await using one = await manager(server.url)
  await using two = await manager(server.url)
  const { cookie } = await one.visit(null, (session) => session.set('user', 'demo'))
  const slow = await one.open(cookie)
  await two.visit(cookie, (session) => session.clear())
  slow.session.set('late', true)
  await slow.opened.save(new Response(200))
  assert.equal((await two.visit(cookie)).before, '{}')
})

test('a value that another gateway has removed meanwhile is not set again; one that is new is', options, async () => {
  await using server = await RedisServer.start()
  await using one = await manager(server.url)
  await using two = await manager(server.url)
  const { cookie } = await one.visit(null, (session) => {
    session.set('tokens', 'old')
    session.set('cart', 1)
    session.set('coupon', 'x')
  })
  const slow = await one.open(cookie)
  await two.visit(cookie, (session) => void session.delete('tokens'))
  slow.session.set('tokens', 'refreshed')
  slow.session.set('cart', 2)
  slow.session.set('seen', true)
  slow.session.delete('coupon')
  await slow.opened.save(new Response(200))
  assert.deepEqual(JSON.parse((await two.visit(cookie)).before), { cart: 2, seen: true })
})

test(
  'a login gives the session another id; an id that the gateway did not generate is not adopted',
  options,
  async () => {
    await using server = await RedisServer.start()
    await using one = await manager(server.url)
    const made = `gateway-redis-session=${'A'.repeat(43)}`
    const first = await one.visit(made, (session) => session.set('cart', 1))
    assert.notEqual(first.cookie, made)
    const second = await one.visit(first.cookie, (session) => session.renew?.())
    assert.notEqual(second.cookie, first.cookie)
    assert.equal((await one.visit(first.cookie)).before, '{}')
    assert.equal((await one.visit(second.cookie)).before, '{"cart":1}')
  },
)

test('a session expires after its idle timeout', options, async () => {
  await using server = await RedisServer.start()
  await using one = await manager(server.url, { sessionTimeout: '1 minute' })
  const { cookie } = await one.visit(null, (session) => session.set('a', 1))
  await using redis = await insider(server)
  const key = await redis.key()
  assert.ok(Number(await redis.call('PTTL', key)) > 55_000)
  await redis.call('PEXPIRE', key, 1_000)
  await one.visit(cookie)
  assert.ok(Number(await redis.call('PTTL', key)) > 55_000)
  await redis.call('PEXPIRE', key, 1)
  await waitUntil('the session expired in Redis', async () => (await redis.call('EXISTS', key)) !== 1)
  assert.equal((await one.visit(cookie)).before, '{}')
})

test('Redis contains neither ids nor names nor values in clear text', options, async () => {
  await using server = await RedisServer.start()
  await using one = await manager(server.url)
  const { set } = await one.visit(null, (session) => session.set('field-name', 'secret-value'))
  await using redis = await insider(server)
  const key = await redis.key()
  const all = JSON.stringify([key, await redis.fields(key)])
  for (const word of ['field-name', 'secret-value', set?.value as string]) assert.equal(all.includes(word), false)
  assert.match(key, /^gateway:session:[\w-]{43}$/)
})

test(
  'records that another program writes to Redis are ignored: sessions can not be forged or swapped',
  options,
  async () => {
    await using server = await RedisServer.start()
    await using one = await manager(server.url)
    await using redis = await insider(server)
    type Change = (name: string, value: string, other: string) => readonly [string, string]
    const changes: readonly Change[] = [
      (name) => [name, 'AAAA'],
      (name, value) => [name, `${value.slice(0, -8)}AAAAAAA=`],
      (name, _, other) => [name, other],
      () => ['isAdmin', 'true'],
      (_, value) => ['x', value],
    ]
    for (const change of changes) {
      await redis.call('FLUSHALL')
      const { cookie } = await one.visit(null, (session) => {
        session.set('user', 'demo')
        session.set('role', 'guest')
      })
      const key = await redis.key()
      const [name = '', value = '', , other = ''] = await redis.fields(key)
      await redis.call('HSET', key, ...change(name, value, other))
      assert.equal((await one.visit(cookie)).before, '{}')
    }
    assert.equal(one.built.metrics.values.get('gw_session_refused_total'), changes.length)
  },
)

test('no Redis: a request without a cookie has an empty session, one with a cookie fails', options, async () => {
  await using one = await manager(`redis://127.0.0.1:${await freePort()}`, { timeout: '100 ms' })
  assert.equal((await one.visit(null)).before, '{}')
  assert.equal((await one.visit('gateway-redis-session=x')).before, '{}')
  await assert.rejects(one.visit(`gateway-redis-session=${'A'.repeat(43)}`), SessionUnavailableError)
  await assert.rejects(
    one.visit(null, (session) => session.set('a', 1)),
    SessionUnavailableError,
  )
})

test('no request waits longer than timeout for an unresponsive Redis', options, async () => {
  await using server = await RedisServer.start()
  await using one = await manager(server.url, { timeout: '1 s' })
  const { cookie } = await one.visit(null, (session) => session.set('a', 1))
  server.freeze()
  const begun = performance.now()
  await assert.rejects(one.visit(cookie), SessionUnavailableError)
  assert.ok(performance.now() - begun < 5_000)
  server.thaw()
  for (;;) {
    const { before } = await one.visit(cookie).catch(() => ({ before: null }))
    if (before !== null) {
      assert.equal(before, '{"a":1}')
      break
    }
    await delay(20)
  }
})

for (const [name, config, message] of [
  ['no address', {}, /url.*required/],
  ['credentials in the address', { url: 'redis://a:b@c' }, /expected no name and password in the URL/],
  ['a session of no time', { url: 'redis://a', sessionTimeout: '0 s' }, /more than zero/],
  ['a session without end', { url: 'redis://a', sessionTimeout: 'unlimited' }, /sessionTimeout/],
  [
    'B44: a __Host- cookie with a domain',
    { url: 'redis://a', cookie: { name: '__Host-s', domain: 'a' } },
    /cookie\/domain/,
  ],
] as const) {
  test(`refused: ${name}`, async () => {
    await assert.rejects(build(RedisSessionManager, config as JsonObject), (error: Error & { problems?: object[] }) => {
      assert.match(JSON.stringify(error.problems), message)
      return true
    })
  })
}
