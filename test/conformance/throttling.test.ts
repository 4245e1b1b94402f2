// The tables of the spec under 'ThrottlingFilter and throttling policies', 'Errors' and 'Limits'.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CATALOGUE } from '#catalogue'
import { type Filter, Response } from '#http'
import type { JsonObject } from '#json'
import { ConfigError, loadTypes } from '#schema'
import { build, type ManualClock, manualClock } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { ThrottlingFilter } from '../../src/objects/filters/throttling/throttling-filter.ts'

const definitions = await loadTypes(CATALOGUE)
const types = definitions.filter(({ name }) => name !== 'ThrottlingFilter')
const RATE = { numberOfRequests: 2, duration: '10 seconds' }
const byUser = "${request.headers['X-User'][0]}"

const open = (config: JsonObject, clock: ManualClock = manualClock()) =>
  build<Filter>(ThrottlingFilter, config, {
    clock,
    types,
    heap: [
      { name: 'ScheduledExecutorService', type: 'ScheduledExecutorService' },
      { name: 'ClientHandler', type: 'StaticResponseHandler', config: { status: 204 } },
    ],
    properties: { requests: 2, time: '10 seconds' },
  })

/** How many of ten requests of a user are admitted immediately; null if the first is an internal error. */
async function admitted(config: JsonObject, headers: Record<string, string> = {}): Promise<number | null> {
  await using built = await open(config)
  let count = 0
  for (let i = 0; i < 10; i++) {
    try {
      const response = await built.object(
        exchangeFor('GET', 'http://a.example.com/', { headers }),
        async () => new Response(200),
      )
      if (response.status === 200) count++
    } catch {
      return null
    }
  }
  return count
}

async function refusedAt(config: JsonObject): Promise<string[]> {
  try {
    await using _built = await open(config)
    return []
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.problems.map(({ pointer }) => pointer.replace('/heap/0/config', ''))
  }
}

describe('ThrottlingFilter', () => {
  test('requestGroupingPolicy: by default all requests share one partition', async () => {
    assert.equal(await admitted({ rate: RATE }, { 'X-User': 'a' }), 2)
  })

  test('requestGroupingPolicy: must not evaluate to null', async () => {
    assert.equal(await admitted({ rate: RATE, requestGroupingPolicy: byUser }), null)
    assert.equal(await admitted({ rate: RATE, requestGroupingPolicy: byUser }, { 'X-User': 'a' }), 2)
  })

  test('throttlingRatePolicy and rate: one of them, not both', async () => {
    const throttlingRatePolicy = {
      type: 'MappedThrottlingPolicy',
      config: { throttlingRateMapper: 'x', throttlingRatesMapping: {}, defaultRate: RATE },
    }
    assert.deepEqual(await refusedAt({}), [''])
    assert.deepEqual(await refusedAt({ rate: RATE, throttlingRatePolicy }), [''])
    assert.deepEqual(await refusedAt({ throttlingRatePolicy }), [])
    assert.equal(await admitted({ throttlingRatePolicy }), 2)
  })

  test('rate.numberOfRequests and rate.duration: configuration expressions, both required', async () => {
    assert.equal(await admitted({ rate: { numberOfRequests: '${requests}', duration: '${time}' } }), 2)
    assert.deepEqual(await refusedAt({ rate: { numberOfRequests: 2 } }), ['/rate/duration'])
    assert.deepEqual(await refusedAt({ rate: { duration: '1 s' } }), ['/rate/numberOfRequests'])
  })

  test('rate.numberOfRequests: a whole number of requests', async () => {
    const bad = [0, -1, 1.5, 2 ** 31, 1e300, '', 'many', true, [], {}, '${1 / 0}', '${null}', "${env['MISSING']}"]
    for (const numberOfRequests of bad) {
      const refused = await refusedAt({ rate: { ...RATE, numberOfRequests } })
      assert.deepEqual(refused, ['/rate/numberOfRequests'], JSON.stringify(numberOfRequests))
    }
  })

  test('rate.duration: neither zero nor unlimited nor an invalid duration', async () => {
    const bad = [
      '0 s',
      'zero',
      'unlimited',
      'UNLIMITED',
      '-5 s',
      '',
      '5',
      5,
      -1,
      '1 parsec',
      '1 us',
      '4000 days',
      '${5}',
    ]
    for (const duration of bad) {
      assert.deepEqual(await refusedAt({ rate: { ...RATE, duration } }), ['/rate/duration'], `${duration}`)
    }
  })

  test('throttlingRatePolicy: a reference to a policy, or an inline one', async () => {
    const inPlace = (type: string, config: JsonObject) => refusedAt({ throttlingRatePolicy: { type, config } })
    assert.deepEqual(await refusedAt({ throttlingRatePolicy: 'Missing' }), ['/throttlingRatePolicy'])
    assert.deepEqual(await inPlace('NoPolicy', {}), ['/throttlingRatePolicy/type'])
    assert.deepEqual(await inPlace('StaticResponseHandler', { status: 200 }), ['/throttlingRatePolicy'])
    const bad = { numberOfRequests: 0, duration: 'unlimited' }
    const at = '/throttlingRatePolicy/config'
    const mapped = { throttlingRateMapper: 'x', throttlingRatesMapping: { 'a/b': bad }, defaultRate: bad }
    assert.deepEqual(await inPlace('MappedThrottlingPolicy', mapped), [
      `${at}/throttlingRatesMapping/a~1b/numberOfRequests`,
      `${at}/throttlingRatesMapping/a~1b/duration`,
      `${at}/defaultRate/numberOfRequests`,
      `${at}/defaultRate/duration`,
    ])
    assert.deepEqual(await inPlace('DefaultRateThrottlingPolicy', { defaultRate: bad }), [
      `${at}/delegateThrottlingRatePolicy`,
      `${at}/defaultRate/numberOfRequests`,
      `${at}/defaultRate/duration`,
    ])
  })

  test('cleaningInterval: more than zero and at most one day', async () => {
    assert.deepEqual(await refusedAt({ rate: RATE, cleaningInterval: '0 s' }), ['/cleaningInterval'])
    assert.deepEqual(await refusedAt({ rate: RATE, cleaningInterval: '1 ms' }), [])
    assert.deepEqual(await refusedAt({ rate: RATE, cleaningInterval: '1 day' }), [])
    for (const cleaningInterval of ['1 day and 1 ms', 'unlimited', '-1 s', '', 5]) {
      assert.deepEqual(await refusedAt({ rate: RATE, cleaningInterval }), ['/cleaningInterval'], `${cleaningInterval}`)
    }
  })

  test('executor: a reference', async () => {
    const executor = { type: 'ScheduledExecutorService', config: {} }
    assert.deepEqual(await refusedAt({ rate: RATE, executor }), [])
    assert.deepEqual(await refusedAt({ rate: RATE, executor: 'Missing' }), ['/executor'])
  })

  test('Throttling rate reached: 429 Too Many Requests with Retry-After (seconds, rounded up)', async () => {
    const clock = manualClock()
    await using built = await open({ rate: { numberOfRequests: 1, duration: '1001 ms' } }, clock)
    const ask = () => built.object(exchangeFor('GET', 'http://a.example.com/'), async () => new Response(200))
    assert.equal((await ask()).status, 200)
    const response = await ask()
    assert.deepEqual([response.status, response.headers.get('Retry-After')], [429, '2'])
    clock.advance(1_000)
    assert.equal((await ask()).headers.get('Retry-After'), '1')
    clock.advance(1)
    assert.equal((await ask()).status, 200)
  })
})

describe('Policies', () => {
  const withPolicy = (type: string, config: JsonObject) => ({
    requestGroupingPolicy: byUser,
    throttlingRatePolicy: { type, config },
  })
  const script = (source: string) => ({ type: 'application/javascript', source: [source] })

  test('MappedThrottlingPolicy: the mapper result selects the rate; null or not mapped: defaultRate', async () => {
    const policy = withPolicy('MappedThrottlingPolicy', {
      throttlingRateMapper: "${request.headers['X-Plan'][0]}",
      throttlingRatesMapping: { gold: { numberOfRequests: 6, duration: '10 seconds' }, silver: RATE },
      defaultRate: { numberOfRequests: 1, duration: '10 seconds' },
    })
    const user = { 'X-User': 'a' }
    assert.equal(await admitted(policy, { ...user, 'X-Plan': 'gold' }), 6)
    assert.equal(await admitted(policy, { ...user, 'X-Plan': 'silver' }), 2)
    assert.equal(await admitted(policy, { ...user, 'X-Plan': 'bronze' }), 1)
    assert.equal(await admitted(policy, user), 1)
  })

  test('ScriptableThrottlingPolicy: a rate, constructed with count and duration, or null', async () => {
    const user = { 'X-User': 'a' }
    const policy = (source: string) => withPolicy('ScriptableThrottlingPolicy', script(source))
    assert.equal(await admitted(policy("return new ThrottlingRate(3, '1 minute')"), user), 3)
    assert.equal(await admitted(policy('return null'), user), 10)
    assert.equal(await admitted(policy('throw new Error()'), user), null)
    assert.equal(await admitted(policy('return new ThrottlingRate(1e9, 1)'), user), null)
    assert.deepEqual(await refusedAt(policy('return (')), ['/throttlingRatePolicy/config/source/0'])
    const both = withPolicy('ScriptableThrottlingPolicy', { ...script('return null'), file: 'x.js' })
    assert.deepEqual(await refusedAt(both), ['/throttlingRatePolicy/config'])
  })

  test('DefaultRateThrottlingPolicy: if the delegate returns null, defaultRate applies', async () => {
    const policy = (source: string) =>
      withPolicy('DefaultRateThrottlingPolicy', {
        delegateThrottlingRatePolicy: { type: 'ScriptableThrottlingPolicy', config: script(source) },
        defaultRate: RATE,
      })
    assert.equal(await admitted(policy('return null'), { 'X-User': 'a' }), 2)
    assert.equal(await admitted(policy("return new ThrottlingRate(3, '1 minute')"), { 'X-User': 'a' }), 3)
  })
})
