import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Handler } from '#http'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { ManualExecutor } from '#test/manual-executor'
import { rawUpstream } from '#test/upstream'
import { ReverseProxyHandler } from './reverse-proxy-handler.ts'

test('metrics of a circuit breaker: state, number of openings, and rejected requests', async () => {
  await using upstream = await rawUpstream((socket) => socket.destroy())
  const executor = new ManualExecutor()
  await using built = await build<Handler>(
    ReverseProxyHandler,
    { circuitBreaker: { maxFailures: 2, openDuration: '1 minute' } },
    executor.buildOptions,
  )
  const { readings, values } = built.metrics
  const open = readings.get('gw_circuit_breaker_open')!
  const seen = () => [
    open.read(),
    values.get('gw_circuit_breaker_trips_total') ?? 0,
    values.get('gw_circuit_breaker_refused_total') ?? 0,
  ]
  assert.deepEqual(Object.keys(open.labels ?? {}), ['name'])
  assert.equal(open.merge, 'max')
  const ask = () => built.object(exchangeFor('GET', upstream.url))
  await ask()
  assert.deepEqual(seen(), [0, 0, 0])
  await ask()
  assert.deepEqual(seen(), [1, 1, 0])
  await assert.rejects(ask(), { code: 'GW_CIRCUIT_OPEN' })
  await assert.rejects(ask(), { code: 'GW_CIRCUIT_OPEN' })
  assert.deepEqual(seen(), [1, 1, 2])
})
