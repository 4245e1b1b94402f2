// The table of the spec under 'ReverseProxyHandler', `retries` fields, and its rows in 'Limits'.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Exchange, Handler } from '#http'
import type { JsonObject } from '#json'
import { build } from '#test/build'
import { textOf } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { ManualExecutor } from '#test/manual-executor'
import { rawUpstream, type Upstream } from '#test/upstream'
import { ReverseProxyHandler } from '../../src/objects/handlers/reverse-proxy/reverse-proxy-handler.ts'

/** Behaviour of an upstream for one request: respond with a status, or close the connection. */
type Behaviour = number | 'hang up'

interface Scripted extends Upstream {
  readonly calls: number
}

/** An upstream with one behaviour for each request, the last one for all further requests. */
async function upstreamThat(...behaviours: Behaviour[]): Promise<Scripted> {
  let calls = 0
  const upstream = await rawUpstream((socket) => {
    const behaviour = behaviours[Math.min(calls++, behaviours.length - 1)]!
    if (behaviour === 'hang up') socket.destroy()
    else socket.end(`HTTP/1.1 ${behaviour} Status\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`)
  })
  return Object.defineProperty(upstream, 'calls', { get: () => calls }) as Scripted
}

async function handlerWith(config: JsonObject, heap: readonly JsonObject[] = []) {
  const executor = new ManualExecutor()
  const other = new ManualExecutor()
  const { types, heap: services } = executor.buildOptions
  const [otherType] = other.buildOptions.types
  const built = await build<Handler>(ReverseProxyHandler, config, {
    types: [...types, { ...otherType!, name: 'OtherExecutor' }],
    heap: [...services, ...heap],
  })
  return { ...built, executor, other }
}

/** Sends a request; every retry is awaited and run immediately. */
async function statusOf(handler: Handler, executor: ManualExecutor, exchange: Exchange) {
  const delays: number[] = []
  let answered = false
  const asked = handler(exchange).finally(() => {
    answered = true
    executor.schedule(0, () => {})
  })
  for (let delay = await executor.next(); !answered; delay = await executor.next()) delays.push(delay)
  const response = await asked
  await textOf(response)
  return { status: response.status, delays }
}

async function outcome(retries: JsonObject | null, behaviours: readonly Behaviour[], method = 'GET') {
  await using upstream = await upstreamThat(...behaviours)
  await using built = await handlerWith(retries === null ? {} : { retries })
  const { status, delays } = await statusOf(built.object, built.executor, exchangeFor(method, upstream.url))
  const levels = built.log.entries.map(({ level }) => level)
  return { status, delays, calls: upstream.calls, levels }
}

describe('retries', () => {
  test('absent: no retries', async () => {
    assert.equal((await outcome(null, ['hang up', 200])).status, 502)
  })

  test('enabled: true by default', async () => {
    assert.equal((await outcome({}, ['hang up', 200])).status, 200)
  })

  test('enabled: false, no retries', async () => {
    assert.deepEqual(await outcome({ enabled: false }, ['hang up', 200]), {
      status: 502,
      delays: [],
      calls: 1,
      levels: ['warn'],
    })
  })

  test('enabled: accepts a configuration expression', async () => {
    assert.equal((await outcome({ enabled: '${1 == 2}' }, ['hang up', 200])).calls, 1)
  })

  test('condition: true, retried until count is reached', async () => {
    const retries = { condition: '${response.status.code == 502}', count: 3 }
    assert.deepEqual(
      [(await outcome(retries, [502, 502, 200])).status, (await outcome(retries, [502])).calls],
      [200, 4],
    )
  })

  test('condition: false, retried only when a runtime exception occurs, until count is reached', async () => {
    const retries = { condition: '${response.status.code == 502}', count: 3 }
    assert.equal((await outcome(retries, [500, 200])).status, 500)
    assert.equal((await outcome(retries, ['hang up', 500])).status, 500)
    assert.equal((await outcome(retries, ['hang up'])).calls, 4)
  })

  test('condition: ${false} by default, an error status is not retried', async () => {
    assert.deepEqual(await outcome({}, [503, 200]), { status: 503, delays: [], calls: 1, levels: [] })
  })

  test('executor: ScheduledExecutorService by default, or the named one', async () => {
    await using upstream = await upstreamThat('hang up', 200)
    await using built = await handlerWith({ retries: { executor: 'mine', delay: '7 s' } }, [
      { name: 'mine', type: 'OtherExecutor' },
    ])
    const { status, delays } = await statusOf(built.object, built.other, exchangeFor('GET', upstream.url))
    assert.deepEqual([status, delays], [200, [7_000]])
  })

  test('count: retries by exceptions and by the condition together; then the failure is propagated', async () => {
    const retries = { condition: '${response.status.code == 503}', count: 2 }
    assert.deepEqual(await outcome(retries, ['hang up', 503, 503, 200]), {
      status: 503,
      delays: [10_000, 10_000],
      calls: 3,
      levels: ['warn'],
    })
  })

  test('Retries count / delay: 5 and 10 seconds by default', async () => {
    const { delays, calls } = await outcome({}, ['hang up'])
    assert.deepEqual([calls, delays], [6, Array(5).fill(10_000)])
  })

  test('delay: the wait before each retry', async () => {
    assert.deepEqual((await outcome({ delay: "${'3 seconds'}" }, ['hang up', 'hang up', 200])).delays, [3_000, 3_000])
  })

  test('a warning-level entry when all retries fail', async () => {
    assert.deepEqual((await outcome({ count: 1 }, ['hang up'])).levels, ['warn'])
    assert.deepEqual((await outcome({ count: 1, condition: '${true}' }, [200])).levels, ['warn'])
  })

  test('a debug-level entry when a retry succeeds', async () => {
    assert.deepEqual((await outcome({}, ['hang up', 200])).levels, ['debug'])
  })

  test('decisions: a non-idempotent method only if no byte was sent or if the condition is true', async () => {
    assert.equal((await outcome({}, ['hang up', 200], 'POST')).calls, 1)
    assert.equal((await outcome({ condition: '${response.status.code == 503}' }, [503, 200], 'POST')).status, 200)
  })
})
