import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MetricSample } from '#contracts'
import { MetricsRegistry } from '#metrics'
import { timerContent } from './timer-content.ts'

function timerOf(seconds: readonly number[], ticks = 0): MetricSample {
  const registry = new MetricsRegistry()
  const summary = registry.open().summary('gw_route_response_time', '')
  for (const value of seconds) summary.observe(value)
  for (let tick = 0; tick < ticks; tick++) registry.tick()
  return registry.collect()[0] as MetricSample
}

test('durations are in milliseconds, rates are per second', () => {
  const sample = timerOf([0.1, 0.2, 0.3, 0.4], 1)
  const content = timerContent(sample, sample.since + 8000)
  assert.equal(content['count'], 4)
  assert.equal(content['total'], 1000)
  assert.equal(content['min'], 100)
  assert.equal(content['max'], 400)
  assert.equal(content['mean'], 250)
  assert.equal(content['stddev'], 111.803)
  assert.equal(content['p999'], 400)
  const median = content['p50'] as number
  assert.ok(median >= 200 && median <= 210, `${median}`)
  assert.equal(content['mean_rate'], 0.5)
  assert.deepEqual([content['m1_rate'], content['m5_rate'], content['m15_rate']], [0.8, 0.8, 0.8])
})

test('a timer without observations is all zeros, and one with old observations only has its totals', () => {
  const sample = timerOf([])
  for (const [name, value] of Object.entries(timerContent(sample, sample.since))) {
    if (typeof value === 'number') assert.equal(value, 0, name)
  }
  const quiet = timerContent(timerOf([0.5], 120), Date.now())
  assert.deepEqual([quiet['count'], quiet['total'], quiet['max'], quiet['p50'], quiet['stddev']], [1, 500, 0, 0, 0])
})

test('equal observations have no deviation, despite rounding', () => {
  const sample = timerOf(Array.from({ length: 1000 }, () => 0.1))
  assert.equal(timerContent(sample, sample.since)['stddev'], 0)
})
