import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UpstreamError } from '#client'
import { type Exchange, type Filter, type Handler, Response, respond } from '#http'
import type { JsonObject } from '#json'
import { build, manualClock } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { StaticResponseHandler } from '../../handlers/static-response/static-response-handler.ts'
import { ScheduledExecutorService } from '../../services/scheduled-executor/scheduled-executor-service.ts'
import { CircuitBreakerFilter } from './circuit-breaker-filter.ts'

const clock = manualClock()

const breaker = (config: JsonObject = {}) =>
  build<Filter>(
    CircuitBreakerFilter,
    { maxFailures: 2, openDuration: '1 minute', ...config },
    {
      clock,
      types: [ScheduledExecutorService, StaticResponseHandler],
      heap: [{ name: 'ScheduledExecutorService', type: 'ScheduledExecutorService' }],
    },
  )

const refused = (config: JsonObject, pattern: RegExp) => assert.rejects(breaker(config), pattern)

const fine: Handler = async () => respond(200)
const fault: Handler = async () => {
  throw new Error('broken')
}

/** The outcome for the client: a status, or the message of an exception. */
async function ask(filter: Filter, handler: Handler, exchange: Exchange = exchangeFor('GET', 'http://a.example/')) {
  return filter(exchange, handler).then(
    (response) => response.status,
    (error: Error) => error.message,
  )
}

const OPEN = 'the circuit breaker is open: too many requests have failed, and none is sent until it closes'

test('exceptions of the next handler open the circuit; then it is not called', async () => {
  await using built = await breaker()
  let calls = 0
  const counted: Handler = (exchange) => {
    calls++
    return fault(exchange)
  }
  assert.deepEqual([await ask(built.object, counted), await ask(built.object, counted)], ['broken', 'broken'])
  assert.equal(await ask(built.object, counted), OPEN)
  assert.equal(calls, 2)
})

test('the default handler of the open circuit throws a coded exception', async () => {
  await using built = await breaker({ maxFailures: 1 })
  await ask(built.object, fault)
  await assert.rejects(built.object(exchangeFor('GET', 'http://a.example/'), fine), {
    name: 'CircuitOpenError',
    code: 'GW_CIRCUIT_OPEN',
    message: OPEN,
  })
})

test('openHandler responds while the circuit is open', async () => {
  await using built = await breaker({
    maxFailures: 1,
    openHandler: { type: 'StaticResponseHandler', config: { status: 503 } },
  })
  assert.deepEqual([await ask(built.object, fault), await ask(built.object, fine)], ['broken', 503])
})

test('after openDuration the circuit is closed and the count reset', async () => {
  await using built = await breaker()
  for (let i = 0; i < 2; i++) await ask(built.object, fault)
  clock.advance(59_999)
  assert.equal(await ask(built.object, fine), OPEN)
  clock.advance(1)
  assert.deepEqual(
    [await ask(built.object, fault), await ask(built.object, fine), await ask(built.object, fault)],
    ['broken', 200, 'broken'],
  )
  assert.equal(await ask(built.object, fine), 200)
})

test('opening and closing are logged once each', async () => {
  await using built = await breaker()
  for (let i = 0; i < 5; i++) await ask(built.object, fault)
  clock.advance(60_000)
  for (let i = 0; i < 2; i++) await ask(built.object, fine)
  assert.deepEqual(
    built.log.entries.map(({ level, message }) => [level, message]),
    [
      ['warn', 'the circuit breaker opened: no request is sent until it closes'],
      ['info', 'the circuit breaker closed'],
    ],
  )
})

test('the executor closes the circuit, also without requests', async (t) => {
  await using built = await breaker({ maxFailures: 1 })
  t.mock.timers.enable({ apis: ['setTimeout'] })
  await ask(built.object, fault)
  clock.advance(60_000)
  t.mock.timers.tick(60_000)
  assert.equal(built.log.entries.at(-1)?.['message'], 'the circuit breaker closed')
})

test('without slidingCounter consecutive failures are counted, with it failures in the window', async () => {
  const spread = [fault, fine, fault]
  await using inARow = await breaker()
  await using windowed = await breaker({ slidingCounter: { size: 3 } })
  for (const handler of spread) {
    await ask(inARow.object, handler)
    await ask(windowed.object, handler)
  }
  assert.equal(await ask(inARow.object, fine), 200)
  assert.equal(await ask(windowed.object, fine), OPEN)
})

test('a response with a failure as its cause counts as a failure, an error status alone does not', async () => {
  await using built = await breaker()
  const answered: Handler = async () => respond(503)
  for (let i = 0; i < 5; i++) assert.equal(await ask(built.object, answered), 503)
  const converted: Handler = async () => new Response(502, { cause: new UpstreamError('GW_UPSTREAM_CONNECT') })
  for (let i = 0; i < 2; i++) assert.equal(await ask(built.object, converted), 502)
  assert.equal(await ask(built.object, fine), OPEN)
})

test('client errors count neither as success nor as failure', async () => {
  await using built = await breaker()
  await ask(built.object, fault)
  for (const code of ['GW_CLIENT_GONE', 'GW_REQUEST_BODY', 'GW_UPSTREAM_REQUEST'] as const) {
    for (let i = 0; i < 2; i++) {
      await ask(built.object, async () => Promise.reject(new UpstreamError(code)))
    }
  }
  for (const handler of [fine, fault]) {
    const exchange = exchangeFor('GET', 'http://a.example/')
    exchange.abort(new Error('gone'))
    await ask(built.object, handler, exchange)
  }
  assert.equal(await ask(built.object, fault), 'broken')
  assert.equal(await ask(built.object, fine), OPEN)
})

test('B73: of a hundred concurrent failures exactly maxFailures count', async () => {
  await using built = await breaker({ maxFailures: 5, slidingCounter: { size: 10 } })
  const { promise, reject } = Promise.withResolvers<Response>()
  const asked = Array.from({ length: 100 }, () => ask(built.object, () => promise))
  reject(new Error('broken'))
  assert.deepEqual(await Promise.all(asked), Array(100).fill('broken'))
  assert.equal(await ask(built.object, fine), OPEN)
  clock.advance(60_000)
  for (let i = 0; i < 4; i++) assert.equal(await ask(built.object, fault), 'broken')
  assert.equal(await ask(built.object, fine), 200)
  assert.equal(await ask(built.object, fault), 'broken')
  assert.equal(await ask(built.object, fine), OPEN)
})

test('a failure after the filter was retired affects its request alone', async () => {
  const built = await breaker({ maxFailures: 1 })
  await built[Symbol.asyncDispose]()
  assert.equal(await ask(built.object, fault), 'broken')
})

test('invalid values are reported with their pointer', async () => {
  await refused({ maxFailures: 0 }, /\/heap\/0\/config\/maxFailures: expected an integer from 1 to \d+, got 0/)
  await refused({ maxFailures: null }, /\/heap\/0\/config\/maxFailures: .*required/)
  await refused({ openDuration: null }, /\/heap\/0\/config\/openDuration: .*required/)
  await refused({ openDuration: 'zero' }, /\/config\/openDuration: expected a duration of more than zero, got "zero"/)
  await refused({ openDuration: 'unlimited' }, /\/config\/openDuration: expected a limited duration/)
  await refused({ slidingCounter: {} }, /\/config\/slidingCounter\/size: .*required/)
  await refused({ slidingCounter: { size: 0 } }, /\/config\/slidingCounter\/size: expected an integer from 1 to 100000/)
  for (const size of [1, 2]) {
    await refused(
      { slidingCounter: { size } },
      new RegExp(`/heap/0/config/slidingCounter/size: expected more than maxFailures, which is 2, got ${size}`),
    )
  }
  await refused({ executor: 'other' }, /\/heap\/0\/config\/executor: no ScheduledExecutorService named "other"/)
  await refused({ enabled: false }, /\/heap\/0\/config\/enabled: unknown field/)
})

test('the fields accept configuration expressions', async () => {
  await using built = await breaker({
    maxFailures: '${1 + 1}',
    openDuration: "${'1 minute'}",
    slidingCounter: { size: '${3}' },
  })
  for (const handler of [fault, fine, fault]) await ask(built.object, handler)
  assert.equal(await ask(built.object, fine), OPEN)
  const { members = {} } = CircuitBreakerFilter.config.info.shape
  assert.equal(members['executor']!.info.defaultValue, 'ScheduledExecutorService')
})
