import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type AccessTokenResolver,
  AccessTokenResolverKind,
  FilterKind,
  HandlerKind,
  type TokenResolution,
} from '#contracts'
import { type Filter, type Handler, respond } from '#http'
import type { JsonValue } from '#json'
import { defineType, type TypeDefinition } from '#schema'
import { build, type ManualClock, manualClock } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { TimerDecorator } from './timer-decorator.ts'

const plainHandler: Handler = async () => respond(204)

const PlainHandler = defineType({
  name: 'PlainHandler',
  kind: HandlerKind,
  summary: 'Answers 204.',
  config: {},
  create: () => plainHandler,
})

/** Takes 30 ms before and 12 ms after the call of the next handler. */
const slowFilter = (clock: ManualClock) =>
  defineType({
    name: 'SlowFilter',
    kind: FilterKind,
    summary: 'Takes its time.',
    config: {},
    create: (): Filter => async (exchange, next) => {
      clock.advance(30)
      const response = await next(exchange)
      clock.advance(12)
      return response
    },
  })

const slowHandler = (clock: ManualClock, outcome: Handler) =>
  defineType({
    name: 'SlowHandler',
    kind: HandlerKind,
    summary: 'Takes 1234.5678 ms.',
    config: {},
    create: (): Handler => (exchange) => {
      clock.advance(1_234.567_8)
      return outcome(exchange)
    },
  })

const timed = <T>(definition: TypeDefinition, timer: JsonValue, config: JsonValue, clock: ManualClock) =>
  build<T>(
    definition,
    {},
    {
      clock,
      types: [TimerDecorator],
      heap: [{ name: 'timer', type: 'TimerDecorator', config }],
      decorations: { timer },
      name: 'slow',
    },
  )

const request = () => exchangeFor('GET', 'http://app.example.com/')

test('a filter’s own time is separate from that of the next filters and the handler', async () => {
  const clock = manualClock()
  await using built = await timed<Filter>(slowFilter(clock), true, {}, clock)
  const exchange = request()

  const response = await built.object(exchange, async () => {
    clock.advance(100)
    return respond(201)
  })

  assert.equal(response.status, 201)
  const { time, ...entry } = built.log.entries[0] as Record<string, unknown>
  assert.deepEqual(entry, {
    level: 'info',
    logger: 'gateway+slow',
    message: 'timer',
    transactionId: exchange.transactionId.value,
    outcome: 201,
    elapsed: { total: 142, internal: 42, downstream: 100 },
    timeUnit: 'milliseconds',
  })
  assert.equal(built.log.entries.length, 1)
})

test('each call of the next handler is counted', async () => {
  const clock = manualClock()
  const Twice = defineType({
    name: 'Twice',
    kind: FilterKind,
    summary: 'Calls twice.',
    config: {},
    create: (): Filter => async (exchange, next) => {
      await next(exchange)
      return next(exchange)
    },
  })
  await using built = await timed<Filter>(Twice, true, {}, clock)
  await built.object(request(), async () => {
    clock.advance(7)
    return respond(200)
  })
  assert.deepEqual(built.log.entries[0]?.['elapsed'], { total: 14, internal: 0, downstream: 14 })
})

const units: readonly [string, string, number][] = [
  ['ms', 'ms', 1_234.568],
  ['Seconds', 'seconds', 1.235],
  ['microseconds', 'microseconds', 1_234_567.8],
  ['µs', 'µs', 1_234_567.8],
  ['minutes', 'minutes', 0.021],
]

for (const [timeUnit, unit, total] of units) {
  test(`a handler's time in ${timeUnit}`, async () => {
    const clock = manualClock(0)
    await using built = await timed<Handler>(
      slowHandler(clock, async () => respond(200)),
      true,
      { timeUnit },
      clock,
    )
    await built.object(request())
    assert.deepEqual(built.log.entries[0]?.['elapsed'], { total })
    assert.equal(built.log.entries[0]?.['timeUnit'], unit)
  })
}

const REFUSAL: TokenResolution = { outcome: 'invalid', description: 'No.' }

const slowResolver = (clock: ManualClock, answer: () => TokenResolution | Promise<TokenResolution>) =>
  defineType({
    name: 'SlowResolver',
    kind: AccessTokenResolverKind,
    summary: 'Takes 250 ms.',
    config: {},
    create: (): AccessTokenResolver => ({
      schemes: ['DPoP'],
      accessManagers: [],
      resolve() {
        clock.advance(250)
        return answer()
      },
      admit: () => null,
      verifiesBinding: () => true,
      watch: () => () => {},
    }),
  })

test('a resolver is timed, synchronous or not', async () => {
  for (const answer of [() => REFUSAL, async () => REFUSAL]) {
    const clock = manualClock()
    await using built = await timed<AccessTokenResolver>(slowResolver(clock, answer), true, {}, clock)
    const answered = built.object.resolve('token', request())
    assert.equal(answered instanceof Promise, answer() instanceof Promise)
    assert.deepEqual(await answered, REFUSAL)
    assert.equal(built.log.entries[0]?.['outcome'], 'invalid')
    assert.deepEqual(built.log.entries[0]?.['elapsed'], { total: 250 })
    assert.deepEqual(built.object.schemes, ['DPoP'])
    assert.ok(built.object.admit !== undefined && built.object.watch !== undefined)
    // Without them a cache would keep tokens of OpenAM until they expire.
    assert.deepEqual(built.object.accessManagers, [])
    assert.ok(built.object.verifiesBinding !== undefined)
  }
})

test('a resolver that fails is timed, and its fault passed on', async () => {
  const clock = manualClock()
  const failing = slowResolver(clock, () => Promise.reject(new Error('broken')))
  await using built = await timed<AccessTokenResolver>(failing, true, {}, clock)
  await assert.rejects(Promise.resolve(built.object.resolve('token', request())), /broken/)
  assert.equal(built.log.entries[0]?.['outcome'], 'failed')
})

test('a fault is timed and passed on', async () => {
  const clock = manualClock()
  const fault = new Error('broken')
  await using built = await timed<Handler>(
    slowHandler(clock, () => Promise.reject(fault)),
    true,
    {},
    clock,
  )
  await assert.rejects(built.object(request()), fault)
  assert.equal(built.log.entries[0]?.['outcome'], 'failed')
  assert.deepEqual(built.log.entries[0]?.['elapsed'], { total: 1_234.568 })
})

test('false logs nothing', async () => {
  for (const timer of [false, 'false', '${1 == 2}']) {
    await using built = await timed<Handler>(PlainHandler, timer, {}, manualClock())
    await built.object(exchangeFor('GET', 'http://app.example/'))
    assert.deepEqual(built.log.entries, [])
  }
})

const refusals: readonly [string, JsonValue, JsonValue, string][] = [
  ['a value that is no boolean', 'yes', {}, '/heap/0/timer: expected true or false, got "yes"'],
  [
    'an invalid unit',
    true,
    { timeUnit: 'parsecs' },
    '/heap/1/config/timeUnit: expected a unit of time such as "milliseconds", got "parsecs"',
  ],
  [
    'a duration for a unit',
    true,
    { timeUnit: '1 second' },
    '/heap/1/config/timeUnit: expected a unit of time such as "milliseconds", got "1 second"',
  ],
  [
    'a number for a unit',
    true,
    { timeUnit: 1 },
    '/heap/1/config/timeUnit: expected a unit of time such as "milliseconds", got number',
  ],
]

for (const [name, timer, config, message] of refusals) {
  test(`refuses ${name}`, async () => {
    const building = timed(PlainHandler, timer, config, manualClock())
    await assert.rejects(building, { code: 'GW_CONFIG_INVALID', message })
  })
}
