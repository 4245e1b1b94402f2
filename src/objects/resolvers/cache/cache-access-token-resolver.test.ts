import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { dialectOf } from '#access-manager'
import {
  type AccessTokenResolver,
  AccessTokenResolverKind,
  type AmService,
  AmServiceKind,
  type TokenResolution,
} from '#contracts'
import type { JsonObject } from '#json'
import { type Clock, defineType } from '#schema'
import { build, manualClock } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { ManualNotifications } from '#test/manual-notifications'
import { ScheduledExecutorService } from '../../services/scheduled-executor/scheduled-executor-service.ts'
import { CacheAccessTokenResolver } from './cache-access-token-resolver.ts'

type Answering = (token: string, count: number) => TokenResolution | Promise<TokenResolution>

const good =
  (info: JsonObject = {}, expiresAt: number | null = null): Answering =>
  (token, count) => ({
    outcome: 'valid',
    accessToken: { token, info: { count, ...info }, scopes: new Set(['read']), expiresAt },
  })

async function cachedWith(
  answering: Answering,
  config: JsonObject = {},
  delegate: Partial<AccessTokenResolver> = {},
  time: Clock | null = null,
) {
  const clock = manualClock()
  const notifications = new ManualNotifications()
  const asked: string[] = []
  const Resolver = defineType({
    name: 'TestResolver',
    kind: AccessTokenResolverKind,
    summary: 'Says what a test wants.',
    config: {},
    create: (): AccessTokenResolver => ({
      ...delegate,
      resolve(token) {
        asked.push(token)
        return answering(token, asked.length)
      },
    }),
  })
  const Service = defineType({
    name: 'TestAmService',
    kind: AmServiceKind,
    summary: 'Has news and nothing else.',
    config: {},
    create: () => ({ notifications, ...DIALECT }) as unknown as AmService,
  })
  const Silent = defineType({
    name: 'SilentAmService',
    kind: AmServiceKind,
    summary: 'Has no news.',
    config: {},
    create: () => ({ notifications: null, ...DIALECT }) as unknown as AmService,
  })
  const built = await build<AccessTokenResolver>(
    CacheAccessTokenResolver,
    { delegate: { type: 'TestResolver' }, ...config },
    {
      clock: time ?? clock,
      units: 2,
      types: [Resolver, Service, Silent, ScheduledExecutorService],
      heap: [
        { name: 'ScheduledExecutorService', type: 'ScheduledExecutorService' },
        { name: 'am', type: 'TestAmService' },
        { name: 'silent', type: 'SilentAmService' },
      ],
    },
  )
  const exchange = exchangeFor('GET', 'https://app.example/')
  const resolve = (token = 'token') => Promise.resolve(built.object.resolve(token, exchange))
  return {
    clock,
    built,
    notifications,
    asked,
    exchange,
    resolve,
    outcome: async (token = 'token') => (await resolve(token)).outcome,
    [Symbol.asyncDispose]: () => built[Symbol.asyncDispose](),
  }
}

const PINGAM = dialectOf('7.5')
const DIALECT = { knownDialect: PINGAM, dialect: async () => PINGAM }
const AM = { amService: 'am' }

test('a cached token is equal but not the same object, and costs no promise', async () => {
  await using at = await cachedWith(good({ sub: 'demo' }))
  const first = await at.resolve()
  const second = at.built.object.resolve('token', at.exchange)
  assert.ok(!(second instanceof Promise))
  assert.ok(second.outcome === 'valid' && first.outcome === 'valid')
  assert.equal(second.accessToken.token, 'token')
  assert.deepEqual(second.accessToken.info, { count: 1, sub: 'demo' })
  assert.deepEqual([...second.accessToken.scopes], ['read'])
  assert.deepEqual(at.asked, ['token'])
})

test('changes of a result do not affect later ones', async () => {
  await using at = await cachedWith(good({ nested: { list: [1] } }))
  const resolution = await at.resolve()
  assert.ok(resolution.outcome === 'valid')
  const { info, scopes } = resolution.accessToken
  assert.throws(() => Object.assign(info, { count: 2 }), TypeError)
  assert.throws(() => Object.assign(info['nested'] as object, { more: true }), TypeError)
  assert.throws(() => (scopes as Set<string>).add('admin'), TypeError)
  assert.throws(() => (scopes as Set<string>).clear(), TypeError)
  assert.ok(!scopes.has('admin'))
})

test('B55: tokens that differ in one character are different tokens', async () => {
  await using at = await cachedWith(good())
  const tokens = [
    'token',
    'Token',
    'token=',
    'tokem',
    'tokeo',
    'toke',
    'token\u0000',
    'tokén',
    'toke\u0301n',
    'QUI',
    'QUJ',
  ]
  for (const token of tokens) await at.resolve(token)
  for (const token of tokens) await at.resolve(token)
  assert.deepEqual(at.asked, tokens)
})

test('enabled: false caches nothing', async () => {
  await using at = await cachedWith(good(), { enabled: '${false}' })
  await at.resolve()
  await at.resolve()
  assert.equal(at.asked.length, 2)
})

test('without amService, each access manager of the delegate limits the time: OpenAM does not notify of revoked tokens', async () => {
  const service = (version: string) => {
    const dialect = dialectOf(version)
    return { notifications: null, knownDialect: dialect, dialect: async () => dialect } as unknown as AmService
  }
  for (const [versions, calls] of [
    [['7.5'], 1],
    [['14.8'], 2],
    [['7.5', '14.8'], 2],
  ] as const) {
    const accessManagers = versions.map(service)
    await using at = await cachedWith(good({}, manualClock().now() + 3_600_000), {}, { accessManagers })
    await at.resolve()
    at.clock.advance(60_000)
    await at.resolve()
    assert.equal(at.asked.length, calls, versions.join())
    assert.deepEqual(at.built.object.accessManagers, accessManagers)
  }
})

test('maximumSize: the least recently used token is evicted from the share of a unit', async () => {
  await using at = await cachedWith(good(), { maximumSize: 4 })
  for (const token of ['a', 'b', 'a', 'c', 'a', 'b']) await at.resolve(token)
  assert.deepEqual(at.asked, ['a', 'b', 'c', 'b'])
})

describe('times', () => {
  const hour = 3_600_000
  const start = manualClock().now()
  const times: readonly [string, number | null, JsonObject, number][] = [
    ['without expiry: defaultTimeout, by default a minute', null, {}, 60_000],
    ['without expiry: defaultTimeout', null, { defaultTimeout: '1 hour', maximumTimeToCache: '1 day' }, hour],
    [
      'without expiry: defaultTimeout within maximumTimeToCache',
      null,
      { defaultTimeout: '1 hour', maximumTimeToCache: '1 minute' },
      60_000,
    ],
    ['expiry before the maximum: the expiry', start + 5 * hour, { maximumTimeToCache: '1 day' }, 5 * hour],
    ['expiry behind the maximum: the maximum', start + 48 * hour, { maximumTimeToCache: '1 day' }, 24 * hour],
    ['expiry without a maximum: the expiry', start + 48 * hour, {}, 48 * hour],
    ['expiry shorter than the default: the expiry', start + 1_000, {}, 1_000],
  ]
  for (const [name, expiresAt, config, kept] of times) {
    test(name, async () => {
      await using at = await cachedWith(good({}, expiresAt), config)
      await at.resolve()
      at.clock.advance(kept - 1)
      await at.resolve()
      assert.equal(at.asked.length, 1)
      at.clock.advance(1)
      await at.resolve()
      assert.equal(at.asked.length, 2)
    })
  }

  test('defaultTimeout zero caches no token without an expiry', async () => {
    await using at = await cachedWith(good(), { defaultTimeout: '0 s' })
    await at.resolve()
    await at.resolve()
    assert.equal(at.asked.length, 2)
  })

  test('B46: a clock set back does not extend the time in the cache', async () => {
    let wall = 1_700_000_000_000
    let passed = 0
    const clock = { now: () => wall, monotonic: () => passed }
    await using at = await cachedWith(good({}, wall + 60_000), {}, {}, clock)
    await at.resolve()
    wall -= 3_600_000
    passed += 59_999
    await at.resolve()
    assert.equal(at.asked.length, 1)
    passed += 1
    await at.resolve()
    assert.equal(at.asked.length, 2)
  })

  test('the executor removes expired entries', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    await using at = await cachedWith(good())
    await at.resolve()
    at.clock.advance(60_000)
    t.mock.timers.tick(10_000)
    assert.equal(at.built.metrics.values.get('gw_cache_entries'), 0)
  })
})

describe('negative cache and failures', () => {
  const bad: Answering = () => ({ outcome: 'invalid', description: 'No.' })

  test('B60: an invalid token is resolved once in five seconds', async () => {
    await using at = await cachedWith(bad)
    for (let i = 0; i < 1_000; i++) assert.equal(await at.outcome(), 'invalid')
    assert.equal(at.asked.length, 1)
    at.clock.advance(5_000)
    await at.resolve()
    assert.equal(at.asked.length, 2)
  })

  test('B60: five thousand different invalid tokens evict no valid one', async () => {
    await using at = await cachedWith(
      (token, count) => (token.startsWith('good') ? good()(token, count) : bad(token, count)),
      { maximumSize: 20 },
    )
    for (let i = 0; i < 10; i++) await at.resolve(`good ${i}`)
    await Promise.all(Array.from({ length: 900 }, (_, i) => at.resolve(`bad ${i}`)))
    for (let i = 0; i < 4_100; i++) await at.resolve(`worse ${i}`)
    at.asked.length = 0
    for (let i = 0; i < 10; i++) assert.equal(await at.outcome(`good ${i}`), 'valid')
    assert.deepEqual(at.asked, [])
  })

  test('a token that becomes valid is accepted when its negative entry expires', async () => {
    let isGood = false
    await using at = await cachedWith((token, count) => (isGood ? good()(token, count) : bad(token, count)))
    assert.equal(await at.outcome(), 'invalid')
    isGood = true
    at.clock.advance(5_000)
    assert.equal(await at.outcome(), 'valid')
  })

  test('refusals with header fields are not cached', async () => {
    await using at = await cachedWith(() => ({
      outcome: 'invalid',
      description: 'No.',
      headers: { 'DPoP-Nonce': 'x' },
    }))
    await at.resolve()
    await at.resolve()
    assert.equal(at.asked.length, 2)
  })

  for (const outcome of ['unavailable', 'bad_request'] as const) {
    test(`${outcome} is not cached`, async () => {
      await using at = await cachedWith(() => ({ outcome, description: 'Later.' }))
      assert.equal(await at.outcome(), outcome)
      assert.equal(await at.outcome(), outcome)
      assert.equal(at.asked.length, 2)
    })
  }

  test('B61: two hundred concurrent requests cause one lookup; a failure is not cached', async () => {
    await using at = await cachedWith(async (token, count) => {
      if (count === 1) throw new Error('no luck')
      return good()(token, count)
    })
    const failed = await Promise.allSettled(Array.from({ length: 200 }, () => at.resolve()))
    assert.ok(failed.every(({ status }) => status === 'rejected'))
    assert.equal(at.asked.length, 1)
    const outcomes = await Promise.all(Array.from({ length: 200 }, () => at.outcome()))
    assert.deepEqual(new Set(outcomes), new Set(['valid']))
    assert.equal(at.asked.length, 2)
  })
})

describe('notifications', () => {
  const metadata = { authGrantId: 'grant-0001', auditTrackingId: 'audit-0001', jti: 'jti-0001' }
  const digest = '3c469e9d6c5875d37a43f353d4f88e61fcf812c66eee3457465a40b0da4153e0'
  const bodies: readonly [string, JsonObject][] = [
    ['authGrantId, as when a refresh token is revoked', { realm: '/', authGrantId: 'grant-0001' }],
    ['auditTrackingId', { eventType: 'REVOKE', auditTrackingId: 'audit-0001' }],
    ['jti', { jti: 'jti-0001' }],
    ['an id under any name', { some: { other: ['x', 'audit-0001'] } }],
    ['the digest of the token in hexadecimal', { token: digest }],
    ['the digest of the token in base64url', { token: Buffer.from(digest, 'hex').toString('base64url') }],
  ]
  for (const [name, body] of bodies) {
    test(`B56: a token is invalidated by ${name}`, async () => {
      await using at = await cachedWith(good(metadata), AM)
      await at.resolve()
      at.notifications.tell('/any/topic', body)
      await at.resolve()
      assert.equal(at.asked.length, 2)
    })
  }

  test('B56: a token is invalidated by the token itself', async () => {
    await using at = await cachedWith(good(), AM)
    const token = 'a-token-of-some-length'
    await at.resolve(token)
    at.notifications.tell('/oauth2', { token })
    await at.resolve(token)
    assert.equal(at.asked.length, 2)
  })

  test('a notification about tokens without an id invalidates all of them, one of another topic none', async () => {
    await using at = await cachedWith(good(metadata), AM)
    await at.resolve()
    at.notifications.tell('/agent/config', {})
    await at.resolve()
    assert.equal(at.asked.length, 1)
    at.notifications.tell('/oauth2/grant/revoked', { count: 1 })
    await at.resolve()
    assert.equal(at.asked.length, 2)
  })

  test('all tokens of a grant are invalidated together, those of others are not', async () => {
    await using at = await cachedWith(
      (token, count) => good({ authGrantId: token.startsWith('a') ? 'grant-a' : 'grant-b', jti: token })(token, count),
      AM,
    )
    for (const token of ['a1', 'a2', 'b1']) await at.resolve(token)
    at.notifications.tell('/oauth2', { authGrantId: 'grant-a' })
    at.asked.length = 0
    for (const token of ['a1', 'a2', 'b1']) await at.resolve(token)
    assert.deepEqual(at.asked, ['a1', 'a2'])
  })

  test('B57: a revocation that arrives during the lookup is not lost', async () => {
    await using at = await cachedWith((token, count) => {
      if (count === 1) at.notifications.tell('/oauth2', { authGrantId: 'grant-0001' })
      return count === 1 ? good(metadata)(token, count) : { outcome: 'invalid', description: 'Revoked.' }
    }, AM)
    assert.equal(await at.outcome(), 'invalid')
    assert.equal(at.asked.length, 2)
  })

  test('the values read from a notification are limited', async () => {
    await using at = await cachedWith(good(metadata), AM)
    await at.resolve()
    let nested: JsonObject = { id: 'grant-0001' }
    for (let i = 0; i < 1_000; i++) nested = { nested }
    at.notifications.tell('/oauth2', nested)
    at.notifications.tell('/oauth2', { list: Array(100_000).fill('x') })
    assert.equal(await at.outcome(), 'valid')
  })

  test('a token without an id is cached, and that is logged once', async () => {
    await using at = await cachedWith(good(), AM)
    for (const token of ['a', 'b', 'a', 'b']) await at.resolve(token)
    assert.deepEqual(at.asked, ['a', 'b'])
    assert.equal(at.built.log.entries.filter(({ level }) => level === 'warn').length, 1)
    assert.match(at.built.log.lines.join(''), /has no authGrantId, auditTrackingId or jti/)
  })

  test('while notifications are disconnected, uncached tokens are rejected, and the reason is logged', async () => {
    await using at = await cachedWith(good(metadata), AM)
    await at.resolve()
    at.notifications.disconnect()
    assert.deepEqual(await at.resolve(), {
      outcome: 'unavailable',
      description: 'Access tokens can not be checked at the moment.',
    })
    await at.resolve('other')
    assert.equal(at.asked.length, 1)
    const denied = at.built.log.entries.filter(
      ({ message }) => message === 'access tokens are rejected without a lookup',
    )
    assert.equal(denied.length, 1)
    assert.equal(denied[0]?.['reason'], 'the notification service of the access manager is disconnected')
  })

  test('an access manager with disabled notifications gives a warning and has no effect', async () => {
    await using at = await cachedWith(good(), { amService: 'silent' })
    assert.match(at.built.warnings.join(), /the notifications of amService are disabled/)
    assert.equal(await at.outcome(), 'valid')
  })

  test('a watcher of a token is called once, also by the delegate', async () => {
    const behind = new Set<() => void>()
    await using at = await cachedWith(good(metadata), AM, {
      watch: (_, revoked) => {
        behind.add(revoked)
        return () => behind.delete(revoked)
      },
    })
    const resolution = await at.resolve()
    assert.ok(resolution.outcome === 'valid')
    const { accessToken } = resolution
    const heard: string[] = []
    at.built.object.watch?.(accessToken, () => heard.push('by news'))
    at.notifications.tell('/oauth2', { authGrantId: 'grant-0001' })
    assert.equal(behind.size, 0)
    at.built.object.watch?.(accessToken, () => heard.push('from behind'))
    for (const revoked of behind) revoked()
    at.notifications.tell('/oauth2', { authGrantId: 'grant-0001' })
    at.built.object.watch?.(accessToken, () => heard.push('stopped'))()
    at.notifications.tell('/oauth2', { authGrantId: 'grant-0001' })
    assert.deepEqual(heard, ['by news', 'from behind'])
    assert.equal(behind.size, 0)
  })
})

test('admit and schemes of the delegate are used', async () => {
  const admitted: string[] = []
  await using at = await cachedWith(
    good(),
    {},
    {
      schemes: ['DPoP'],
      admit: ({ token }) => {
        admitted.push(token)
        return null
      },
    },
  )
  assert.deepEqual(at.built.object.schemes, ['DPoP'])
  for (let i = 0; i < 2; i++) {
    const resolution = await at.resolve()
    assert.ok(resolution.outcome === 'valid')
    at.built.object.admit?.(resolution.accessToken, at.exchange)
  }
  assert.deepEqual(admitted, ['token', 'token'])
})

test('metrics of the cache', async () => {
  await using at = await cachedWith(good({ jti: 'some-id' }), AM)
  for (const token of ['a', 'a', 'b', 'a']) await at.resolve(token)
  at.notifications.tell('/oauth2', { jti: 'some-id' })
  const { values } = at.built.metrics
  assert.deepEqual(
    ['hits_total', 'misses_total', 'evictions_total', 'entries'].map((name) => values.get(`gw_cache_${name}`)),
    [2, 2, 2, 0],
  )
})

test('a disposed cache has no listeners', async () => {
  const at = await cachedWith(good(), AM)
  assert.equal(at.notifications.listeners, 1)
  await at[Symbol.asyncDispose]()
  assert.equal(at.notifications.listeners, 0)
})

test('invalid values are reported with their pointer', async () => {
  const refused = (config: JsonObject, message: RegExp) => assert.rejects(cachedWith(good(), config), message)
  await refused({ delegate: null }, /\/heap\/0\/config\/delegate: .*required/)
  await refused({ maximumTimeToCache: '0 s' }, /\/config\/maximumTimeToCache: expected a duration of more than zero/)
  await refused({ maximumTimeToCache: 'unlimited' }, /\/config\/maximumTimeToCache: expected a limited duration/)
  await refused({ defaultTimeout: 'unlimited' }, /\/config\/defaultTimeout: expected a limited duration/)
  await refused({ maximumSize: 0 }, /\/config\/maximumSize: expected an integer of at least 1, got 0/)
  await refused({ onNotificationDisconnection: 'KEEP' }, /\/config\/onNotificationDisconnection: expected one of/)
  await refused({ maxTime: '1 s' }, /\/config\/maxTime: unknown field/)
})
