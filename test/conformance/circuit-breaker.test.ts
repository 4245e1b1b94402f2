// The tables of the spec under 'ReverseProxyHandler' (`circuitBreaker` fields), 'Circuit breaker' (states), 'Other components' (errors) and 'Limits'.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Handler } from '#http'
import type { JsonObject } from '#json'
import { build, manualClock } from '#test/build'
import { textOf } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { RunningGateway } from '#test/gateway'
import { ManualExecutor } from '#test/manual-executor'
import { rawUpstream } from '#test/upstream'
import { waitUntil } from '#test/waiting'
import { ReverseProxyHandler } from '../../src/objects/handlers/reverse-proxy/reverse-proxy-handler.ts'
import { StaticResponseHandler } from '../../src/objects/handlers/static-response/static-response-handler.ts'

/** An upstream that responds with a status, or closes the connection while the status is null. */
async function switchable() {
  const state = { calls: 0, status: null as number | null }
  const upstream = await rawUpstream((socket) => {
    state.calls++
    if (state.status === null) socket.destroy()
    else socket.end(`HTTP/1.1 ${state.status} Status\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`)
  })
  return Object.assign(upstream, { state })
}

async function handlerWith(circuitBreaker: JsonObject, more: JsonObject = {}) {
  const upstream = await switchable()
  const executor = new ManualExecutor()
  const clock = manualClock()
  const { types, heap } = executor.buildOptions
  const config = { circuitBreaker: { maxFailures: 2, openDuration: '1 minute', ...circuitBreaker }, ...more }
  const built = await build<Handler>(ReverseProxyHandler, config, {
    clock,
    heap,
    types: [...types, StaticResponseHandler],
  }).catch(async (error: Error) => {
    await upstream[Symbol.asyncDispose]()
    throw error
  })
  return {
    state: upstream.state,
    executor,
    clock,
    warnings: () => built.log.entries.filter(({ level }) => level === 'warn').map(({ message }) => message),
    /** Statuses of the responses in order, or codes of exceptions. */
    async statuses(count: number): Promise<(number | string)[]> {
      const all: (number | string)[] = []
      for (let i = 0; i < count; i++) {
        try {
          const response = await built.object(exchangeFor('GET', upstream.url))
          await textOf(response)
          all.push(response.status)
        } catch (error) {
          all.push((error as { code: string }).code)
        }
      }
      return all
    },
    async [Symbol.asyncDispose]() {
      await built[Symbol.asyncDispose]()
      await upstream[Symbol.asyncDispose]()
    },
  }
}

const refused = (config: JsonObject, pattern: RegExp) => assert.rejects(handlerWith(config), pattern)

describe('circuitBreaker: fields', () => {
  test('enabled: true by default; false disables the breaker', async () => {
    await using on = await handlerWith({})
    assert.deepEqual(await on.statuses(3), [502, 502, 'GW_CIRCUIT_OPEN'])
    await using off = await handlerWith({ enabled: '${false}' })
    assert.deepEqual(await off.statuses(5), Array(5).fill(502))
  })

  test('maxFailures: required, greater than zero', async () => {
    await refused({ maxFailures: null }, /\/heap\/0\/config\/circuitBreaker\/maxFailures: .*required/)
    await refused({ maxFailures: 0 }, /\/config\/circuitBreaker\/maxFailures: expected an integer from 1 to/)
  })

  test('maxFailures: a request that fails and then fails on 3 retries counts as one failure', async () => {
    await using handler = await handlerWith({}, { retries: { count: 3 } })
    const asked = handler.statuses(3)
    for (let retry = 0; retry < 6; retry++) await handler.executor.next()
    assert.deepEqual(await asked, [502, 502, 'GW_CIRCUIT_OPEN'])
    assert.equal(handler.state.calls, 8)
  })

  test('openDuration: required', async () => {
    await refused({ openDuration: null }, /\/config\/circuitBreaker\/openDuration: .*required/)
  })

  test('openHandler: called while the circuit is open', async () => {
    await using handler = await handlerWith({
      openHandler: { type: 'StaticResponseHandler', config: { status: 503 } },
    })
    assert.deepEqual(await handler.statuses(4), [502, 502, 503, 503])
  })

  test('slidingCounter: the window of the last size requests', async () => {
    await using handler = await handlerWith({ slidingCounter: { size: 4 } })
    const seen: (number | string)[] = []
    for (const status of [null, 200, 200, 200, null, 200, null, 200]) {
      handler.state.status = status
      seen.push(...(await handler.statuses(1)))
    }
    assert.deepEqual(seen, [502, 200, 200, 200, 502, 200, 502, 'GW_CIRCUIT_OPEN'])
  })

  test('slidingCounter: absent, failures in a row (decisions)', async () => {
    await using handler = await handlerWith({})
    for (const status of [null, 200, null, 200, null]) {
      handler.state.status = status
      await handler.statuses(1)
    }
    assert.deepEqual(await handler.statuses(2), [502, 'GW_CIRCUIT_OPEN'])
  })

  test('slidingCounter.size: required. Sliding window size is not greater than zero and greater than maxFailures: an exception', async () => {
    const at = '/heap/0/config/circuitBreaker/slidingCounter/size: '
    await refused({ slidingCounter: {} }, new RegExp(`${at}.*required`))
    await refused({ slidingCounter: { size: 0 } }, new RegExp(`${at}expected an integer from 1`))
    await refused({ slidingCounter: { size: 2 } }, new RegExp(`${at}expected more than maxFailures, which is 2, got 2`))
  })

  test('executor: schedules the closing of the circuit', async () => {
    await using handler = await handlerWith({ openDuration: '5 seconds' })
    await handler.statuses(2)
    assert.deepEqual(
      handler.executor.waiting.map(({ delay }) => delay),
      [5_000],
    )
  })
})

describe('Circuit breaker: states', () => {
  test('closed, a request fails, failures reach maxFailures: open, calls stop', async () => {
    await using handler = await handlerWith({ maxFailures: 3, slidingCounter: { size: 10 } })
    assert.deepEqual(await handler.statuses(2), [502, 502])
    handler.state.status = 200
    assert.deepEqual(await handler.statuses(1), [200])
    handler.state.status = null
    assert.deepEqual(await handler.statuses(6), [502, ...Array(5).fill('GW_CIRCUIT_OPEN')])
    assert.equal(handler.state.calls, 4)
  })

  test('Circuit breaker is open, a request arrives: open, the openHandler is called, by default it throws', async () => {
    await using handler = await handlerWith({ maxFailures: 1 })
    assert.deepEqual(await handler.statuses(3), [502, 'GW_CIRCUIT_OPEN', 'GW_CIRCUIT_OPEN'])
  })

  test('open, openDuration elapses: closed, with an empty window (decisions)', async () => {
    await using handler = await handlerWith({ slidingCounter: { size: 3 } })
    await handler.statuses(2)
    handler.clock.advance(59_999)
    assert.deepEqual(await handler.statuses(1), ['GW_CIRCUIT_OPEN'])
    handler.clock.advance(1)
    await handler.executor.next()
    assert.deepEqual(await handler.statuses(3), [502, 502, 'GW_CIRCUIT_OPEN'])
  })
})

describe('Circuit breaker: definition of a failure (decisions)', () => {
  test('a response is a success with any status', async () => {
    await using handler = await handlerWith({})
    handler.state.status = 503
    assert.deepEqual(await handler.statuses(5), Array(5).fill(503))
  })

  test('a response for which retries.condition still holds when the retries are used up', async () => {
    await using handler = await handlerWith({}, { retries: { condition: '${response.status.code == 503}', count: 0 } })
    handler.state.status = 503
    assert.deepEqual(await handler.statuses(3), [503, 503, 'GW_CIRCUIT_OPEN'])
  })
})

describe('Circuit breaker: in a gateway with two units', () => {
  test('F10, B73: exact over the units and with retries; 500 without details; closes on time', async () => {
    await using upstream = await switchable()
    const openDuration = 3_000
    await using gateway = await RunningGateway.start({ units: 2 })
    await gateway.deploy('a', {
      baseURI: upstream.url,
      handler: {
        type: 'ReverseProxyHandler',
        config: {
          retries: { count: 2, delay: '10 ms' },
          circuitBreaker: { maxFailures: 5, openDuration: `${openDuration} ms`, slidingCounter: { size: 10 } },
        },
      },
    })
    const statuses = async (count: number) => {
      const all: number[] = []
      for (let i = 0; i < count; i++) all.push((await gateway.ask('/', { headers: { Connection: 'close' } })).status)
      return all
    }
    assert.deepEqual(await statuses(5), Array(5).fill(502))
    const opened = performance.now()
    const { status, text } = await gateway.ask('/')
    assert.equal(status, 500)
    assert.doesNotMatch(text, /circuit|Error|at |src/i)
    // Concurrently: one after another they may take longer than openDuration on a busy machine.
    const further = await Promise.all(Array.from({ length: 10 }, () => gateway.ask('/')))
    assert.deepEqual(
      further.map((response) => response.status),
      Array(10).fill(500),
    )
    // Each of the five was sent three times; no other request was sent.
    assert.equal(upstream.state.calls, 15)
    assert.equal(gateway.log.with(/"all retries failed"/).length, 5)
    assert.equal(gateway.log.with(/the circuit breaker opened/).length, 1)

    upstream.state.status = 200
    await waitUntil('the circuit closed', async () => (await statuses(1))[0] === 200)
    const elapsed = performance.now() - opened
    assert.ok(elapsed > openDuration - 200 && elapsed < openDuration + 5_000, `closed after ${elapsed} ms`)
    await gateway.log.until(/the circuit breaker closed/)
    assert.equal(gateway.log.with(/the circuit breaker closed/).length, 1)
  })
})
