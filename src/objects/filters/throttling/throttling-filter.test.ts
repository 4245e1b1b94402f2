import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ThrottlingPolicyKind, type ThrottlingStore, ThrottlingStoreKind } from '#contracts'
import { type Filter, type Handler, Response } from '#http'
import type { JsonObject } from '#json'
import { ConfigError, defineType } from '#schema'
import { type BuildOptions, type Built, build, type ManualClock, manualClock } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { ScheduledExecutorService } from '../../services/scheduled-executor/scheduled-executor-service.ts'
import { ThrottlingFilter } from './throttling-filter.ts'

const RATE = { numberOfRequests: 2, duration: '10 seconds' }
const executor = { name: 'ScheduledExecutorService', type: 'ScheduledExecutorService' }

function filter(config: JsonObject, clock: ManualClock = manualClock(), more: BuildOptions = {}) {
  return build<Filter>(ThrottlingFilter, config, {
    clock,
    ...more,
    types: [ScheduledExecutorService, ...(more.types ?? [])],
    heap: [executor, ...(more.heap ?? [])],
  })
}

const fine: Handler = async () => new Response(200)

async function ask(built: Built<Filter>, headers: Record<string, string> = {}, handler = fine): Promise<Response> {
  return built.object(exchangeFor('GET', 'http://shop.example.com/', { headers }), handler)
}

async function statuses(built: Built<Filter>, times: number, headers: Record<string, string> = {}): Promise<number[]> {
  const all: number[] = []
  for (let i = 0; i < times; i++) all.push((await ask(built, headers)).status)
  return all
}

test('passes numberOfRequests requests, then responds 429 with Retry-After until the quota is refilled', async () => {
  const clock = manualClock()
  await using built = await filter({ rate: RATE }, clock)
  assert.deepEqual(await statuses(built, 3), [200, 200, 429])
  let called = false
  const refusal = await ask(built, {}, async () => {
    called = true
    return new Response(200)
  })
  assert.equal(called, false)
  assert.equal(refusal.headers.get('Retry-After'), '5')
  assert.equal(refusal.headers.has('RateLimit'), false)
  clock.advance(5_000)
  assert.deepEqual(await statuses(built, 2), [200, 429])
})

test('B72: Retry-After is rounded up and never 0', async () => {
  const clock = manualClock()
  await using built = await filter({ rate: { numberOfRequests: 1, duration: '2500 ms' } }, clock)
  await ask(built)
  const waits: (string | null)[] = []
  for (const step of [0, 499, 1, 999, 1, 900, 99]) {
    clock.advance(step)
    waits.push((await ask(built)).headers.get('Retry-After'))
  }
  assert.deepEqual(waits, ['3', '3', '2', '2', '1', '1', '1'])
})

test('B72, F23: jumps of the wall clock have no effect', async () => {
  let wall = 1_700_000_000_000
  const clock: ManualClock = { now: () => wall, monotonic: () => 1_000, advance: () => {} }
  await using built = await filter({ rate: RATE }, clock)
  assert.deepEqual(await statuses(built, 3), [200, 200, 429])
  wall += 3_600_000
  assert.equal((await ask(built)).status, 429)
  wall -= 7_200_000
  assert.equal((await ask(built)).headers.get('Retry-After'), '5')
})

test('partitions are counted separately; by default all requests are one partition', async () => {
  await using built = await filter({ rate: RATE, requestGroupingPolicy: "${request.headers['X-User'][0]}" })
  assert.deepEqual(await statuses(built, 3, { 'X-User': 'a' }), [200, 200, 429])
  assert.deepEqual(await statuses(built, 3, { 'X-User': 'b' }), [200, 200, 429])
  await using together = await filter({ rate: RATE })
  await ask(together, { 'X-User': 'a' })
  assert.deepEqual(await statuses(together, 2, { 'X-User': 'b' }), [200, 429])
})

test('B71: a partition that is null, no text or a failure is a fault: no request passes uncounted', async () => {
  for (const requestGroupingPolicy of ["${request.headers['X-User'][0]}", '${contexts.client}', "${integer('x')}"]) {
    await using built = await filter({ rate: RATE, requestGroupingPolicy })
    await assert.rejects(ask(built))
    assert.equal(built.metrics.values.get('gw_throttling_admitted_total'), undefined)
  }
})

test('a policy that returns an invalid rate is a fault, never an unlimited request', async () => {
  for (const [numberOfRequests, duration] of [
    [Number.NaN, 1_000],
    [0, 1_000],
    [-1, 1_000],
    [1.5, 1_000],
    [Number.POSITIVE_INFINITY, 1_000],
    [2 ** 31, 3_600_000],
    [1, Number.NaN],
    [1, 0],
    [1, -1_000],
    [1, Number.POSITIVE_INFINITY],
    [5_000, 1],
    ['2', 1_000],
    [undefined, undefined],
  ] as [number, number][]) {
    const Policy = defineType({
      name: 'Nonsense',
      kind: ThrottlingPolicyKind,
      summary: 'A policy of a test.',
      config: {},
      create: () => ({ rateFor: () => ({ numberOfRequests, duration }) }),
    })
    const more = { types: [Policy], heap: [{ name: 'Policy', type: 'Nonsense' }] }
    await using built = await filter({ throttlingRatePolicy: 'Policy' }, manualClock(), more)
    await assert.rejects(ask(built), RangeError, `${numberOfRequests} in ${duration}`)
  }
})

test('RateLimit and RateLimit-Policy, if configured', async () => {
  const clock = manualClock()
  await using built = await filter({ rate: RATE, rateLimitHeaders: true }, clock)
  const rateLimitHeaders = async () => {
    const { headers } = await ask(built)
    return [headers.get('RateLimit'), headers.get('RateLimit-Policy'), headers.get('Retry-After')]
  }
  assert.deepEqual(await rateLimitHeaders(), ['"gateway";r=1;t=5', '"gateway";q=2;w=10', null])
  clock.advance(1_500)
  assert.deepEqual(await rateLimitHeaders(), ['"gateway";r=0;t=4', '"gateway";q=2;w=10', null])
  clock.advance(1_000)
  assert.deepEqual(await rateLimitHeaders(), ['"gateway";r=0;t=3', '"gateway";q=2;w=10', '3'])
  clock.advance(2_500)
  assert.deepEqual(await rateLimitHeaders(), ['"gateway";r=0;t=5', '"gateway";q=2;w=10', null])
})

test('RateLimit of several filters and servers: each has a unique policy name', async () => {
  const day = { rate: { numberOfRequests: 50, duration: '1 day' }, rateLimitHeaders: true }
  await using outer = await filter(day)
  await using inner = await filter({ rate: { numberOfRequests: 2, duration: '1500 ms' }, rateLimitHeaders: true })
  const behind = new Response(200)
  behind.headers.set('RateLimit-Policy', '"default";q=9')
  behind.headers.set('RateLimit', '"default";r=8')
  const exchange = exchangeFor('GET', 'http://shop.example.com/')
  const { headers } = await outer.object(exchange, (same) => inner.object(same, async () => behind))
  assert.deepEqual(headers.all('RateLimit-Policy'), ['"default";q=9', '"gateway";q=2;w=2', '"gateway-2";q=50;w=86400'])
  assert.deepEqual(headers.all('RateLimit'), ['"default";r=8', '"gateway";r=1;t=1', '"gateway-2";r=49;t=1728'])
})

test('metrics: admitted and rejected requests, partitions', async () => {
  await using built = await filter({ rate: RATE, requestGroupingPolicy: "${request.headers['X-User'][0]}" })
  for (const user of ['a', 'b', 'b', 'b']) await ask(built, { 'X-User': user })
  const { values, readings } = built.metrics
  assert.equal(values.get('gw_throttling_admitted_total'), 3)
  assert.equal(values.get('gw_throttling_refused_total'), 1)
  const partitions = readings.get('gw_throttling_partitions')!
  assert.deepEqual([partitions.read(), partitions.merge], [2, 'max'])
  assert.deepEqual(partitions.labels, { name: 'gateway+object', route: 'gateway' })
})

/** A store that admits requests until the test makes it fail. */
class TestStore implements ThrottlingStore {
  isBroken = false
  isRefusing = false
  readonly asked: string[] = []

  async take(filter: string, partition: string, rate: { numberOfRequests: number }) {
    if (this.isBroken) throw new Error('the store is gone')
    this.asked.push(`${filter} ${partition} ${rate.numberOfRequests}`)
    return { admitted: !this.isRefusing, remaining: 0, nextAfter: 0 }
  }
}

function withStore(store: TestStore): BuildOptions {
  const type = defineType({
    name: 'TestStore',
    kind: ThrottlingStoreKind,
    summary: 'Counts for a test.',
    config: {},
    create: () => store,
  })
  return { types: [type], heap: [{ name: 'Store', type: 'TestStore' }] }
}

test('a store that fails: the gateway counts locally, or rejects', async () => {
  const store = new TestStore()
  await using local = await filter({ rate: RATE, store: 'Store' }, manualClock(), withStore(store))
  assert.deepEqual(await statuses(local, 1), [200])
  assert.equal(store.asked[0], 'gateway+object  2')
  store.isBroken = true
  assert.deepEqual(await statuses(local, 3), [200, 429, 429])
  assert.equal(local.metrics.values.get('gw_throttling_store_failures_total'), 3)
  const config = { rate: RATE, store: 'Store', onStoreFailure: 'DENY' }
  await using deny = await filter(config, manualClock(), withStore(store))
  const refusal = await ask(deny)
  assert.deepEqual([refusal.status, refusal.headers.get('Retry-After')], [503, '1'])
  store.isBroken = false
  assert.equal((await ask(deny)).status, 200)
})

test('an outage of the store grants no second quota: requests it admitted are counted locally', async () => {
  const clock = manualClock()
  const store = new TestStore()
  await using local = await filter({ rate: RATE, store: 'Store' }, clock, withStore(store))
  assert.deepEqual(await statuses(local, 2), [200, 200])
  store.isRefusing = true
  assert.deepEqual(await statuses(local, 5), [429, 429, 429, 429, 429])
  store.isBroken = true
  assert.deepEqual(await statuses(local, 2), [429, 429])
  clock.advance(5_000)
  assert.deepEqual(await statuses(local, 2), [200, 429])
})

const at = '/heap/0/config'
const rate = (fields: JsonObject) => ({ rate: { ...RATE, ...fields } })
const REFUSALS: [string, JsonObject, string][] = [
  ['no rate', {}, `${at}: give exactly one of rate, throttlingRatePolicy`],
  [
    'two rates',
    { rate: RATE, throttlingRatePolicy: 'Policy' },
    `${at}: give exactly one of rate, throttlingRatePolicy`,
  ],
  [
    'no requests',
    rate({ numberOfRequests: 0 }),
    `${at}/rate/numberOfRequests: expected an integer from 1 to 2147483647, got 0`,
  ],
  [
    'less than none',
    rate({ numberOfRequests: -1 }),
    `${at}/rate/numberOfRequests: expected an integer from 1 to 2147483647, got -1`,
  ],
  ['no time', rate({ duration: '0 s' }), `${at}/rate/duration: expected a duration of more than zero, got "0 s"`],
  [
    'time without end',
    rate({ duration: 'unlimited' }),
    `${at}/rate/duration: expected a limited duration, got "unlimited"`,
  ],
  [
    'less than a millisecond',
    rate({ duration: '10 us' }),
    `${at}/rate/duration: expected a duration of at least 1 ms, got "10 us"`,
  ],
  [
    'more than can be',
    rate({ numberOfRequests: 5_000, duration: '1 ms' }),
    `${at}/rate/numberOfRequests: expected at most 4096 requests for each millisecond, got 5000 in 1 ms`,
  ],
  [
    'no time between cleaning',
    { rate: RATE, cleaningInterval: '0 s' },
    `${at}/cleaningInterval: expected a duration of more than zero, got "0 s"`,
  ],
  [
    'more than a day between cleaning',
    { rate: RATE, cleaningInterval: '25 hours' },
    `${at}/cleaningInterval: expected a duration of at most 1 day, got "25 hours"`,
  ],
  [
    'unlimited time between cleaning',
    { rate: RATE, cleaningInterval: 'unlimited' },
    `${at}/cleaningInterval: expected a duration of at most 1 day, got "unlimited"`,
  ],
  ['a failure of what is not there', { rate: RATE, onStoreFailure: 'DENY' }, `${at}: onStoreFailure needs store`],
]

for (const [what, config, problem] of REFUSALS) {
  test(`refused at load: ${what}`, async () => {
    await assert.rejects(filter(config), (error: unknown) => {
      assert.ok(error instanceof ConfigError)
      const problems = error.problems.map(({ pointer, message }) => `${pointer}: ${message}`)
      assert.ok(problems.includes(problem), problems.join('\n'))
      return true
    })
  })
}

test('a cleaningInterval of one day, and the default, are accepted', async () => {
  await using _day = await filter({ rate: RATE, cleaningInterval: '1 day' })
  await using _other = await filter({ rate: { numberOfRequests: '${1 + 1}', duration: '${"10 s"}' } })
})
