import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MetricsRegistry } from './registry.ts'

test('collects the series of every holder, with labels, help and type', () => {
  const registry = new MetricsRegistry()
  const holder = registry.open()
  holder.counter('gw_x_total', 'Xs.', { route: 'a' }).add()
  holder.counter('gw_x_total', 'Xs.', { route: 'a' }).add(2)
  holder.counter('gw_x_total', 'Xs.', { route: 'b' }).add()
  holder.gauge('gw_y', 'Ys.').set(7)
  assert.deepEqual(registry.collect(), [
    { name: 'gw_x_total', help: 'Xs.', type: 'counter', labels: { route: 'a' }, value: 3 },
    { name: 'gw_x_total', help: 'Xs.', type: 'counter', labels: { route: 'b' }, value: 1 },
    { name: 'gw_y', help: 'Ys.', type: 'gauge', labels: {}, value: 7 },
  ])
})

test('two holders of the same series count apart', () => {
  const registry = new MetricsRegistry()
  const [old, next] = [registry.open(), registry.open()]
  old.counter('c', '').add(5)
  next.counter('c', '').add(1)
  assert.deepEqual(
    registry.collect().map(({ value }) => value),
    [5, 1],
  )
  old.release()
  old.release()
  assert.deepEqual(
    registry.collect().map(({ value }) => value),
    [1],
  )
})

test('a gauge goes up and down', () => {
  const registry = new MetricsRegistry()
  const gauge = registry.open().gauge('g', '')
  gauge.add(3)
  gauge.add(-2)
  assert.equal(registry.collect()[0]?.value, 1)
})

test('a summary keeps sum, count, and each observation in a bucket that is at most 5 % wide', () => {
  const registry = new MetricsRegistry()
  const summary = registry.open().summary('s', '')
  const values = [0.0001, 0.0123, 0.5, 1, 59.9]
  for (const value of values) summary.observe(value)
  const [sample] = registry.collect()
  assert.equal(sample?.count, values.length)
  assert.ok(Math.abs((sample?.value ?? 0) - values.reduce((sum, value) => sum + value)) < 1e-9)
  const bounds = (sample?.buckets ?? []).map(([bound]) => bound)
  assert.equal(bounds.length, values.length)
  for (const [at, value] of values.entries()) {
    const bound = bounds[at] as number
    assert.ok(bound >= value * 0.999999 && bound <= value * 1.05, `${value} is in the bucket up to ${bound}`)
  }
})

test('observations out of all bounds stay in the first and the last bucket', () => {
  const registry = new MetricsRegistry()
  const summary = registry.open().summary('s', '')
  for (const value of [0, -1, 1e-12, 1e9]) summary.observe(value)
  const counts = (registry.collect()[0]?.buckets ?? []).map(([, count]) => count)
  assert.deepEqual(counts, [3, 1])
})

test('a summary without observations has no buckets', () => {
  const registry = new MetricsRegistry()
  registry.open().summary('s', '')
  assert.deepEqual(registry.collect()[0]?.buckets, [])
})

test('a reading is taken when the numbers are collected, and says how units come together', () => {
  const registry = new MetricsRegistry()
  const holder = registry.open()
  let value = 1
  holder.reading('gw_open', 'Open.', { labels: { name: 'a' }, read: () => value, merge: 'max' })
  holder.reading('gw_sum', 'Sum.', { read: () => value })
  assert.deepEqual(registry.collect(), [
    { name: 'gw_open', help: 'Open.', type: 'gauge', labels: { name: 'a' }, value: 1, merge: 'max' },
    { name: 'gw_sum', help: 'Sum.', type: 'gauge', labels: {}, value: 1 },
  ])
  value = 5
  assert.deepEqual(
    registry.collect().map((sample) => sample.value),
    [5, 5],
  )
  holder.release()
  assert.deepEqual(registry.collect(), [])
})
