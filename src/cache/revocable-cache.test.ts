import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { JsonObject } from '#json'
import { manualClock, TestMetrics } from '#test/build'
import { ManualNotifications } from '#test/manual-notifications'
import { waitUntil } from '#test/waiting'
import { cacheMetrics } from './cache-metrics.ts'
import { type DisconnectionStrategy, type LoadResult, RevocableCache, Unavailable } from './revocable-cache.ts'

interface Value {
  readonly text: string
}

const STRATEGIES = ['NEVER_CLEAR', 'CLEAR_ON_DISCONNECT', 'CLEAR_ON_RECONNECT'] as const

function cacheWith({ maximumSize = 100, strategy = 'CLEAR_ON_DISCONNECT' as DisconnectionStrategy } = {}) {
  const clock = manualClock()
  const metrics = new TestMetrics()
  const notifications = new ManualNotifications()
  const cache = new RevocableCache<Value>({
    maximumSize,
    clock,
    metrics: cacheMetrics('test', { metrics, name: 'gateway+test' }),
    invalidation: {
      notifications,
      strategy,
      tagsOf: ({ body }) =>
        body['all'] === true ? 'everything' : Object.values(body).filter((value) => typeof value === 'string'),
    },
  })
  let loads = 0
  /** The text of the value, or the reason why it is unavailable. */
  const find = async (key: string, value: Partial<LoadResult<Value>> = {}): Promise<string> => {
    const found = await cache.get(key, async () => {
      loads++
      return { value: { text: `value ${loads}` }, ttl: 1_000, tags: [key], ...value }
    })
    return found instanceof Unavailable ? found.reason : found.text
  }
  const tell = (body: JsonObject) => notifications.tell('/any', body)
  return { cache, clock, metrics, notifications, find, tell, loads: () => loads }
}

const DISCONNECTED = 'the notification service of the access manager is disconnected'

test('a value is cached until its TTL ends', async () => {
  const { find, clock, metrics } = cacheWith()
  assert.equal(await find('a'), 'value 1')
  clock.advance(999)
  assert.equal(await find('a'), 'value 1')
  clock.advance(1)
  assert.equal(await find('a'), 'value 2')
  assert.equal(metrics.values.get('gw_cache_hits_total'), 1)
  assert.equal(metrics.values.get('gw_cache_misses_total'), 2)
  assert.equal(metrics.values.get('gw_cache_evictions_total'), 1)
  assert.equal(metrics.values.get('gw_cache_entries'), 1)
})

test('a cached value is returned without a promise', async () => {
  const { cache, find } = cacheWith()
  await find('a')
  const found = cache.get('a', () => assert.fail('nothing is loaded'))
  assert.ok(!(found instanceof Promise))
})

test('a value without a TTL is not cached', async () => {
  const { find, loads } = cacheWith()
  for (const ttl of [0, -1, Number.NaN]) await find('a', { ttl })
  assert.equal(loads(), 3)
})

test('the least recently used value is evicted', async () => {
  const { find, metrics } = cacheWith({ maximumSize: 2 })
  await find('a')
  await find('b')
  await find('a')
  await find('c')
  assert.equal(await find('a'), 'value 1')
  assert.equal(await find('c'), 'value 3')
  assert.equal(await find('b'), 'value 4')
  assert.equal(metrics.values.get('gw_cache_entries'), 2)
})

test('a sweep removes expired values', async () => {
  const { cache, find, clock, metrics } = cacheWith()
  for (const key of ['a', 'b', 'c']) await find(key)
  await find('d', { ttl: 5_000 })
  clock.advance(1_000)
  cache.sweep()
  assert.equal(metrics.values.get('gw_cache_entries'), 1)
})

test('B61: two hundred concurrent callers share one load', async () => {
  const { find, loads } = cacheWith()
  const values = await Promise.all(Array.from({ length: 200 }, () => find('a')))
  assert.equal(loads(), 1)
  assert.deepEqual(new Set(values), new Set(['value 1']))
})

test('B61: a failure reaches all callers that wait, and the next call loads again', async () => {
  const { cache, find } = cacheWith()
  let loads = 0
  const failing = async () =>
    cache.get('a', async () => {
      loads++
      throw new Error('no luck')
    })
  const outcomes = await Promise.allSettled(Array.from({ length: 50 }, failing))
  assert.equal(loads, 1)
  assert.ok(outcomes.every(({ status }) => status === 'rejected'))
  assert.equal(await find('a'), 'value 1')
})

describe('negative values', () => {
  test('B60: are cached for five seconds', async () => {
    const { find, clock, loads } = cacheWith()
    for (let i = 0; i < 1_000; i++) await find('bad', { negative: true })
    assert.equal(loads(), 1)
    clock.advance(4_999)
    await find('bad', { negative: true })
    clock.advance(1)
    await find('bad', { negative: true })
    assert.equal(loads(), 2)
  })

  test('B60: a flood of them is bounded and evicts no positive value', async () => {
    const { find, metrics, loads } = cacheWith({ maximumSize: 10 })
    for (let i = 0; i < 10; i++) await find(`good ${i}`)
    for (let i = 0; i <= 10_000; i++) await find(`bad ${i}`, { negative: true })
    const before = loads()
    await find('bad 1', { negative: true })
    assert.equal(loads(), before)
    await find('bad 0', { negative: true })
    assert.equal(loads(), before + 1, 'the oldest was evicted')
    for (let i = 0; i < 10; i++) assert.equal(await find(`good ${i}`), `value ${i + 1}`)
    assert.equal(metrics.values.get('gw_cache_entries'), 10)
  })

  test('are not returned while notifications may be missed', async () => {
    const { find, notifications } = cacheWith()
    await find('bad', { negative: true })
    notifications.disconnect()
    assert.equal(await find('bad'), DISCONNECTED)
  })
})

test('B60: at most a thousand loads are in flight; further calls are rejected at once', async () => {
  const { cache, find } = cacheWith()
  const { promise, resolve } = Promise.withResolvers<void>()
  const waiting = Array.from({ length: 1_000 }, (_, i) =>
    cache.get(`slow ${i}`, async () => {
      await promise
      return { value: { text: 'late' }, ttl: 0, tags: [] }
    }),
  )
  assert.match(await find('one more'), /too many requests/)
  resolve()
  await Promise.all(waiting)
  assert.equal(await find('one more'), 'value 1')
})

test('B60: a flood of unknown keys does not prevent the load of a value that was cached', async () => {
  const { cache, find, clock } = cacheWith({ maximumSize: 1_000 })
  const keys = Array.from({ length: 251 }, (_, at) => `in use ${at}`)
  for (const key of keys) await find(key)
  clock.advance(1_000)
  const { promise, resolve } = Promise.withResolvers<void>()
  const load = async () => {
    await promise
    return { value: { text: 'late' }, ttl: 0, tags: [] }
  }
  const flood = Array.from({ length: 2_000 }, (_, at) => cache.get(`unknown ${at}`, load))
  const again = keys.map((key) => cache.get(key, load))
  resolve()
  const loaded = (values: readonly (Value | Unavailable)[]) =>
    values.filter((value) => !(value instanceof Unavailable)).length
  assert.deepEqual([loaded(await Promise.all(flood)), loaded(await Promise.all(again))], [1_000, 250])
})

describe('invalidation', () => {
  test('an invalidated tag removes all values that have it', async () => {
    const { find, tell, metrics } = cacheWith()
    await find('a', { tags: ['grant-1', 'id-a'] })
    await find('b', { tags: ['grant-1', 'id-b'] })
    await find('c', { tags: ['grant-2', 'id-c'] })
    tell({ authGrantId: 'grant-1' })
    assert.equal(await find('c'), 'value 3')
    assert.deepEqual([await find('a'), await find('b')], ['value 4', 'value 5'])
    tell({ some: 'id-c' })
    assert.equal(await find('c'), 'value 6')
    assert.equal(metrics.values.get('gw_cache_evictions_total'), 3)
  })

  test('a notification without a known tag changes nothing', async () => {
    const { find, tell } = cacheWith()
    await find('a', { tags: ['id'] })
    tell({ other: 'ID', realm: '/', constructor: 'x' })
    tell({})
    assert.equal(await find('a'), 'value 1')
  })

  test('a notification about everything clears the cache', async () => {
    const { find, tell } = cacheWith()
    await find('a')
    tell({ all: true })
    assert.equal(await find('a'), 'value 2')
  })

  test('B57: an invalidation during a load repeats it, and the second value is cached', async () => {
    const { cache, tell, find } = cacheWith()
    let loads = 0
    const found = await cache.get('a', async () => {
      loads++
      if (loads === 1) tell({ id: 'id-a' })
      return { value: { text: `fresh ${loads}` }, ttl: 1_000, tags: ['id-a'] }
    })
    assert.deepEqual(found, { text: 'fresh 2' })
    assert.equal(await find('a'), 'fresh 2')
  })

  test('B57: a value that is invalidated during both loads is not cached', async () => {
    const { cache, tell, find } = cacheWith()
    await cache.get('a', async () => {
      tell({ id: 'id-a' })
      return { value: { text: 'doubtful' }, ttl: 1_000, tags: ['id-a'] }
    })
    assert.equal(await find('a'), 'value 1')
  })

  test('B57: invalidations of other tags do not affect a load in flight', async () => {
    const { cache, tell, find } = cacheWith()
    await cache.get('a', async () => {
      for (let i = 0; i < 1_000; i++) tell({ id: `other ${i}` })
      return { value: { text: 'good' }, ttl: 1_000, tags: ['id-a'] }
    })
    assert.equal(await find('a'), 'good')
  })

  test('B57: with more invalidations than are recorded, no load in flight is cached', async () => {
    const { cache, tell, find } = cacheWith()
    await cache.get('a', async () => {
      tell({ id: 'id-a' })
      for (let i = 0; i < 20_001; i++) tell({ id: `other ${i}` })
      return { value: { text: 'doubtful' }, ttl: 1_000, tags: ['id-a'] }
    })
    assert.equal(await find('a'), 'value 1')
  })

  test('B57: after a notification about everything no load in flight is cached', async () => {
    const { cache, tell, find } = cacheWith()
    await cache.get('a', async () => {
      tell({ all: true })
      return { value: { text: 'doubtful' }, ttl: 1_000, tags: ['id-a'] }
    })
    assert.equal(await find('a'), 'value 1')
  })

  test('F14: a hundred thousand notifications take well under two seconds of CPU', async () => {
    const { find, tell, metrics } = cacheWith({ maximumSize: 20_000 })
    for (let i = 0; i < 20_000; i++) await find(`key ${i}`, { tags: [`id ${i}`, `grant ${i % 1_000}`] })
    const start = process.threadCpuUsage()
    for (let i = 0; i < 100_000; i++) tell({ realm: '/', eventType: 'REVOKE', id: `id ${i}` })
    const { user, system } = process.threadCpuUsage(start)
    assert.ok(user + system < 2_000_000, `${user + system} µs`)
    assert.equal(metrics.values.get('gw_cache_entries'), 0)
  })

  test('watchers are called once, also for a value that is no longer cached', async () => {
    const { cache, find, clock, tell } = cacheWith()
    await find('a', { tags: ['id'] })
    clock.advance(10_000)
    cache.sweep()
    const calls: string[] = []
    cache.watch(['id', 'grant'], () => calls.push('first'))
    const stop = cache.watch(['id'], () => calls.push('stopped'))
    stop()
    tell({ x: 'grant' })
    tell({ x: 'id' })
    assert.deepEqual(calls, ['first'])
  })
})

test('a notification about everything calls all watchers, over several turns of the event loop, except stopped ones', async () => {
  const { cache, tell } = cacheWith()
  const calls: number[] = []
  const stops = Array.from({ length: 1_200 }, (_, n) => cache.watch([`id ${n}`, 'shared'], () => calls.push(n)))
  stops[1]!()
  tell({ all: true })
  assert.equal(calls.length, 500)
  stops[1_100]!()
  tell({ x: 'id 1150' })
  await waitUntil('all calls were made', () => calls.length >= 1_198)
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(calls.length, 1_198)
  assert.equal(new Set(calls).size, 1_198)
  assert.equal(calls.includes(1_100), false)
  tell({ all: true })
  assert.equal(calls.length, 1_198)
})

describe('B58: strategy × state × entry', () => {
  /** The outcome for a cached, an uncached and an expired entry, and whether a loaded value is cached. */
  const cells = {
    NEVER_CLEAR: {
      disconnected: { cached: 'value 1', uncached: DISCONNECTED, expired: DISCONNECTED },
      reconnected: { cached: 'value 1', uncached: 'loaded', expired: 'loaded' },
    },
    CLEAR_ON_DISCONNECT: {
      disconnected: { cached: DISCONNECTED, uncached: DISCONNECTED, expired: DISCONNECTED },
      reconnected: { cached: 'loaded', uncached: 'loaded', expired: 'loaded' },
    },
    CLEAR_ON_RECONNECT: {
      disconnected: { cached: 'value 1', uncached: DISCONNECTED, expired: DISCONNECTED },
      reconnected: { cached: 'loaded', uncached: 'loaded', expired: 'loaded' },
    },
  } as const
  for (const strategy of STRATEGIES) {
    for (const state of ['connected', 'disconnected', 'reconnected'] as const) {
      for (const entry of ['cached', 'uncached', 'expired'] as const) {
        const connected = entry === 'cached' ? 'value 1' : 'loaded'
        const expected = state === 'connected' ? connected : cells[strategy][state][entry]
        test(`${strategy}, ${state}, ${entry}: ${expected}`, async () => {
          const { find, notifications, clock } = cacheWith({ strategy })
          if (entry !== 'uncached') await find('a')
          if (state !== 'connected') notifications.disconnect()
          if (entry === 'expired') clock.advance(1_000)
          if (state === 'reconnected') notifications.connect()
          const found = await find('a')
          if (expected !== 'loaded') {
            assert.equal(found, expected)
            return
          }
          assert.match(found, entry === 'uncached' ? /^value 1$/ : /^value 2$/)
          assert.equal(await find('a'), found)
        })
      }
    }
  }

  test('a value that arrives after the disconnection is neither returned nor cached', async () => {
    for (const strategy of STRATEGIES) {
      const { cache, find, notifications } = cacheWith({ strategy })
      const late = await cache.get('a', async () => {
        notifications.disconnect()
        return { value: { text: 'late' }, ttl: 1_000, tags: [] }
      })
      assert.ok(late instanceof Unavailable)
      notifications.connect()
      assert.equal(await find('a'), 'value 1')
    }
  })

  test('a value loaded across a gap of notifications is returned but not cached, and later callers do not join the load', async () => {
    for (const strategy of STRATEGIES) {
      const { cache, find, notifications } = cacheWith({ strategy })
      const { promise, resolve } = Promise.withResolvers<void>()
      const slow = cache.get('a', async () => {
        await promise
        return { value: { text: 'slow' }, ttl: 1_000, tags: [] }
      })
      notifications.disconnect()
      notifications.connect()
      assert.equal(await find('a'), 'value 1')
      resolve()
      assert.deepEqual(await slow, { text: 'slow' })
      assert.equal(await find('a'), 'value 1')
    }
  })

  test('the end of a load from before a gap does not remove the one that was started after it', async () => {
    const { cache, notifications } = cacheWith()
    const loads: PromiseWithResolvers<void>[] = []
    const find = () =>
      cache.get('a', async () => {
        const step = Promise.withResolvers<void>()
        loads.push(step)
        await step.promise
        return { value: { text: `load ${loads.indexOf(step) + 1}` }, ttl: 1_000, tags: [] }
      })
    const first = find()
    notifications.disconnect()
    notifications.connect()
    const second = find()
    loads[0]?.resolve()
    assert.deepEqual(await first, { text: 'load 1' })
    const third = find()
    loads[1]?.resolve()
    assert.deepEqual(await Promise.all([second, third]), [{ text: 'load 2' }, { text: 'load 2' }])
    assert.equal(loads.length, 2)
  })

  test('before the first connection every call is denied', async () => {
    const notifications = new ManualNotifications()
    notifications.disconnect()
    const cache = new RevocableCache<Value>({
      maximumSize: 1,
      clock: manualClock(),
      metrics: cacheMetrics('test', { metrics: new TestMetrics(), name: 'x' }),
      invalidation: { notifications, strategy: 'NEVER_CLEAR', tagsOf: () => [] },
    })
    assert.ok(cache.get('a', () => assert.fail('nothing is loaded')) instanceof Unavailable)
  })

  test('B58: over six hundred disconnections no value outlives its strategy', async () => {
    for (const strategy of STRATEGIES) {
      const { find, notifications, tell, metrics } = cacheWith({ strategy })
      for (let flap = 0; flap < 600; flap++) {
        const before = await find('a', { tags: ['id'] })
        tell({ id: 'id' })
        notifications.disconnect()
        assert.equal(await find('a'), DISCONNECTED)
        notifications.connect()
        assert.notEqual(await find('a', { tags: ['id'] }), before)
      }
      assert.equal(metrics.values.get('gw_cache_entries'), 1)
    }
  })
})

test('a disposed cache has no listener and is empty', async () => {
  const { cache, find, notifications, metrics } = cacheWith()
  await find('a')
  cache.dispose()
  assert.equal(notifications.listeners, 0)
  assert.equal(metrics.values.get('gw_cache_entries'), 0)
})
