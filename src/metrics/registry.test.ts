import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MetricsRegistry } from './registry.ts'

/** Samples without their time-dependent fields. */
function plain(registry: MetricsRegistry) {
  return registry.collect().map(({ since, name, help, type, labels, value }) => {
    assert.ok(Date.now() - since < 60_000)
    return { name, help, type, labels, value }
  })
}

function values(registry: MetricsRegistry): number[] {
  return registry.collect().map(({ value }) => value)
}

test('collects the series of every scope, with labels, help and type', () => {
  const registry = new MetricsRegistry()
  const scope = registry.open()
  scope.counter('gw_x_total', 'Xs.', { route: 'a' }).add()
  scope.counter('gw_x_total', 'Xs.', { route: 'a' }).add(2)
  scope.counter('gw_x_total', 'Xs.', { route: 'b' }).add()
  scope.gauge('gw_y', 'Ys.').set(7)
  assert.deepEqual(plain(registry), [
    { name: 'gw_x_total', help: 'Xs.', type: 'counter', labels: { route: 'a' }, value: 3 },
    { name: 'gw_x_total', help: 'Xs.', type: 'counter', labels: { route: 'b' }, value: 1 },
    { name: 'gw_y', help: 'Ys.', type: 'gauge', labels: {}, value: 7 },
  ])
})

test('ADR 6: a counter continues with the next version of its object, and is removed with the last', () => {
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

test('the contribution of an old version to a gauge is removed with it', () => {
  const registry = new MetricsRegistry()
  const [old, next] = [registry.open(), registry.open()]
  old.gauge('g', '').set(5)
  next.gauge('g', '').add(1)
  assert.deepEqual(values(registry), [6])
  old.release()
  assert.deepEqual(values(registry), [1])
})

test('a gauge can be increased and decreased', () => {
  const registry = new MetricsRegistry()
  const gauge = registry.open().gauge('g', '')
  gauge.add(3)
  gauge.add(-2)
  assert.deepEqual(values(registry), [1])
})

test('a reading is evaluated at each scrape, and declares its merge over threads', () => {
  const registry = new MetricsRegistry()
  const scope = registry.open()
  let value = -1
  scope.reading('gw_open', 'Open.', { labels: { name: 'a' }, read: () => value, merge: 'max' })
  scope.reading('gw_sum', 'Sum.', { read: () => value })
  assert.deepEqual(plain(registry), [
    { name: 'gw_open', help: 'Open.', type: 'gauge', labels: { name: 'a' }, value: -1 },
    { name: 'gw_sum', help: 'Sum.', type: 'gauge', labels: {}, value: -1 },
  ])
  value = 5
  const other = registry.open()
  other.reading('gw_open', 'Open.', { labels: { name: 'a' }, read: () => 2, merge: 'max' })
  other.reading('gw_sum', 'Sum.', { read: () => 2 })
  assert.deepEqual(values(registry), [5, 7])
  scope.release()
  assert.deepEqual(values(registry), [2, 2])
})

test('a counter can be read at each scrape', () => {
  const registry = new MetricsRegistry()
  registry.open().countReading('gw_x_total', 'Xs.', { read: () => 4 })
  assert.deepEqual(plain(registry), [{ name: 'gw_x_total', help: 'Xs.', type: 'counter', labels: {}, value: 4 }])
})

test('a name can not be used with two types', () => {
  const registry = new MetricsRegistry()
  const scope = registry.open()
  scope.counter('gw_x_total', '')
  assert.throws(() => scope.gauge('gw_x_total', '', { a: 'b' }), {
    message: 'the metric gw_x_total is a counter already, it can not be a gauge',
  })
  assert.throws(() => registry.open().summary('gw_x_total', ''), {
    message: 'the metric gw_x_total is a counter already, it can not be a summary',
  })
  scope.release()
  registry.open().gauge('gw_x_total', '')
})

test('B92: names that are invalid in the text format are rejected', () => {
  const scope = new MetricsRegistry().open()
  for (const name of ['', '1x', 'a-b', 'a b', 'a\n', 'ä']) assert.throws(() => scope.counter(name, ''), /found/)
  for (const label of ['', '__name__', 'a-b', 'le', 'quantile', 'a"']) {
    assert.throws(() => scope.counter('x_total', '', { [label]: 'x' }), /can not have a label/)
  }
})

test('new heads are reported in portions, values with the last portion', () => {
  const registry = new MetricsRegistry()
  const scope = registry.open()
  for (let at = 0; at < 4500; at++) scope.counter('gw_x_total', '', { at: String(at) }).add(at)
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
