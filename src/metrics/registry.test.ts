import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MetricsRegistry } from './registry.ts'

/** Samples without what is different each time. */
function plain(registry: MetricsRegistry) {
  return registry.collect().map(({ since, name, help, type, labels, value }) => {
    assert.ok(Date.now() - since < 60_000)
    return { name, help, type, labels, value }
  })
}

function values(registry: MetricsRegistry): number[] {
  return registry.collect().map(({ value }) => value)
}

test('collects the series of every holder, with labels, help and type', () => {
  const registry = new MetricsRegistry()
  const holder = registry.open()
  holder.counter('gw_x_total', 'Xs.', { route: 'a' }).add()
  holder.counter('gw_x_total', 'Xs.', { route: 'a' }).add(2)
  holder.counter('gw_x_total', 'Xs.', { route: 'b' }).add()
  holder.gauge('gw_y', 'Ys.').set(7)
  assert.deepEqual(plain(registry), [
    { name: 'gw_x_total', help: 'Xs.', type: 'counter', labels: { route: 'a' }, value: 3 },
    { name: 'gw_x_total', help: 'Xs.', type: 'counter', labels: { route: 'b' }, value: 1 },
    { name: 'gw_y', help: 'Ys.', type: 'gauge', labels: {}, value: 7 },
  ])
})

test('ADR 6: a counter goes on with the next version of its object, and goes with the last', () => {
  const registry = new MetricsRegistry()
  const [old, next] = [registry.open(), registry.open()]
  old.counter('c_total', '').add(5)
  next.counter('c_total', '').add(1)
  assert.deepEqual(values(registry), [6])
  old.release()
  old.release()
  assert.deepEqual(values(registry), [6])
  next.release()
  assert.deepEqual(values(registry), [])
  registry.open().counter('c_total', '')
  assert.deepEqual(values(registry), [0])
})

test('what an old version adds to a gauge goes with it', () => {
  const registry = new MetricsRegistry()
  const [old, next] = [registry.open(), registry.open()]
  old.gauge('g', '').set(5)
  next.gauge('g', '').add(1)
  assert.deepEqual(values(registry), [6])
  old.release()
  assert.deepEqual(values(registry), [1])
})

test('a gauge goes up and down', () => {
  const registry = new MetricsRegistry()
  const gauge = registry.open().gauge('g', '')
  gauge.add(3)
  gauge.add(-2)
  assert.deepEqual(values(registry), [1])
})

test('a reading is taken when the numbers are collected, and says how units come together', () => {
  const registry = new MetricsRegistry()
  const holder = registry.open()
  let value = -1
  holder.reading('gw_open', 'Open.', { labels: { name: 'a' }, read: () => value, merge: 'max' })
  holder.reading('gw_sum', 'Sum.', { read: () => value })
  assert.deepEqual(plain(registry), [
    { name: 'gw_open', help: 'Open.', type: 'gauge', labels: { name: 'a' }, value: -1 },
    { name: 'gw_sum', help: 'Sum.', type: 'gauge', labels: {}, value: -1 },
  ])
  value = 5
  const other = registry.open()
  other.reading('gw_open', 'Open.', { labels: { name: 'a' }, read: () => 2, merge: 'max' })
  other.reading('gw_sum', 'Sum.', { read: () => 2 })
  assert.deepEqual(values(registry), [5, 7])
  holder.release()
  assert.deepEqual(values(registry), [2, 2])
})

test('a counter may be read as well', () => {
  const registry = new MetricsRegistry()
  registry.open().countReading('gw_x_total', 'Xs.', { read: () => 4 })
  assert.deepEqual(plain(registry), [{ name: 'gw_x_total', help: 'Xs.', type: 'counter', labels: {}, value: 4 }])
})

test('one name has one type', () => {
  const registry = new MetricsRegistry()
  const holder = registry.open()
  holder.counter('gw_x_total', '')
  assert.throws(() => holder.gauge('gw_x_total', '', { a: 'b' }), {
    message: 'the metric gw_x_total is a counter already, it can not be a gauge',
  })
  assert.throws(() => registry.open().summary('gw_x_total', ''), {
    message: 'the metric gw_x_total is a counter already, it can not be a summary',
  })
  holder.release()
  registry.open().gauge('gw_x_total', '')
})

test('B92: names that the text format does not know are refused', () => {
  const holder = new MetricsRegistry().open()
  for (const name of ['', '1x', 'a-b', 'a b', 'a\n', 'ä']) assert.throws(() => holder.counter(name, ''), /found/)
  for (const label of ['', '__name__', 'a-b', 'le', 'quantile', 'a"']) {
    assert.throws(() => holder.counter('x_total', '', { [label]: 'x' }), /can not have a label/)
  }
})

test('heads that are not known are reported in portions, and values with the last of them', () => {
  const registry = new MetricsRegistry()
  const holder = registry.open()
  for (let at = 0; at < 4500; at++) holder.counter('gw_x_total', '', { at: String(at) }).add(at)
  const reports = [registry.report(0), registry.report(2000), registry.report(4000), registry.report(4500)]
  assert.deepEqual(
    reports.map(({ heads, values: numbers }) => [heads.length, numbers?.length ?? null]),
    [
      [2000, null],
      [2000, null],
      [500, 9001],
      [0, 9001],
    ],
  )
})
