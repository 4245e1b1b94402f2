import assert from 'node:assert/strict'
import { test } from 'node:test'
import { quantile } from './histogram.ts'
import { MetricsRegistry } from './registry.ts'
import { ThreadAggregation } from './thread-aggregation.ts'

function twoThreads() {
  const threads = new ThreadAggregation()
  const [one, other] = [new MetricsRegistry(), new MetricsRegistry()]
  const ask = (...registries: MetricsRegistry[]) => {
    for (const registry of registries) threads.addReport(registry, registry.report(threads.lastHead(registry)))
  }
  const read = () =>
    Object.fromEntries(threads.samples().map(({ name, labels, value }) => [name + labelText(labels), value]))
  return { threads, one, other, ask, read }
}

function labelText(labels: Readonly<Record<string, string>>): string {
  return Object.values(labels)
    .map((value) => ` ${value}`)
    .join('')
}

test('counters and gauges of threads are summed by their labels', () => {
  const { one, other, ask, read } = twoThreads()
  for (const registry of [one, other]) {
    const scope = registry.open()
    scope.gauge('g', '').set(2)
    scope.counter('c_total', '', { route: registry === one ? 'a' : 'b' }).add(3)
    scope.counter('c_total', '', { route: 'both' }).add(4)
  }
  ask(one, other)
  assert.deepEqual(read(), { g: 4, 'c_total a': 3, 'c_total b': 3, 'c_total both': 8 })
})

test('with merge max the largest value of all threads is exposed', () => {
  const { one, other, ask, read } = twoThreads()
  one.open().reading('g', '', { read: () => -3, merge: 'max' })
  other.open().reading('g', '', { read: () => -5, merge: 'max' })
  ask(one, other)
  assert.deepEqual(read(), { g: -3 })
})

test('the quantiles of a summary cover the observations of all threads', () => {
  const { threads, one, other, ask } = twoThreads()
  const [first, second] = [one.open().summary('s', ''), other.open().summary('s', '')]
  for (let at = 0; at < 90; at++) first.observe(0.01)
  for (let at = 0; at < 10; at++) second.observe(1)
  ask(one, other)
  const [sample] = threads.samples()
  assert.ok(sample?.recent)
  assert.deepEqual([sample.count, sample.recent.count, sample.recent.min, sample.recent.max], [100, 100, 0.01, 1])
  assert.ok(Math.abs((quantile(sample.recent, 0.9) as number) - 0.01) < 0.0005)
  assert.equal(quantile(sample.recent, 0.91), 1)
  assert.ok(Math.abs(sample.value - 10.9) < 1e-9)
})

test('totals do not decrease when a thread ends and its replacement starts from zero', () => {
  const { threads, one, other, ask, read } = twoThreads()
  for (const registry of [one, other]) {
    const scope = registry.open()
    scope.counter('c_total', '').add(5)
    scope.gauge('g', '').set(5)
    scope.summary('s', '').observe(5)
  }
  ask(one, other)
  threads.remove(one)
  assert.deepEqual(read(), { c_total: 10, g: 5, s: 10 })
  const successor = new MetricsRegistry()
  const scope = successor.open()
  scope.counter('c_total', '').add(1)
  scope.gauge('g', '').set(1)
  scope.summary('s', '').observe(1)
  ask(successor, other)
  threads.dropUnused()
  assert.deepEqual(read(), { c_total: 11, g: 6, s: 11 })
  assert.equal(threads.samples().find(({ name }) => name === 's')?.count, 3)
  threads.remove(successor)
  threads.remove(other)
  assert.deepEqual(read(), { c_total: 11, s: 11 })
  threads.remove(other)
  assert.deepEqual(read(), { c_total: 11, s: 11 })
})

test('totals of series without a thread are dropped', () => {
  const { threads, one, other, ask, read } = twoThreads()
  one.open().counter('c_total', '', { route: 'a' }).add(5)
  other.open().counter('c_total', '', { route: 'b' }).add(5)
  ask(one, other)
  threads.remove(one)
  assert.deepEqual(read(), { 'c_total a': 5, 'c_total b': 5 })
  ask(other)
  threads.dropUnused()
  assert.deepEqual(read(), { 'c_total b': 5 })
})

test('a series that a thread released is removed with its next report, and restarts from zero', () => {
  const { one, ask, read } = twoThreads()
  const scope = one.open()
  scope.counter('c_total', '').add(5)
  ask(one)
  scope.release()
  ask(one)
  assert.deepEqual(read(), {})
  one.open().counter('c_total', '').add(1)
  ask(one)
  assert.deepEqual(read(), { c_total: 1 })
})

test('heads without values have no effect', () => {
  const { one, ask, read } = twoThreads()
  const scope = one.open()
  for (let at = 0; at < 2500; at++) scope.counter('c_total', '', { at: String(at) }).add()
  ask(one)
  assert.deepEqual(read(), {})
  ask(one)
  assert.equal(Object.keys(read()).length, 2500)
})

test('B92: labels with the same text are one series', () => {
  const { one, ask, read } = twoThreads()
  const scope = one.open()
  scope.counter('c_total', '', { route: '\ud800' }).add()
  scope.counter('c_total', '', { route: '\ud801' }).add()
  ask(one)
  assert.deepEqual(Object.values(read()), [2])
})

test('`since` is that of the first thread', () => {
  const { threads, one, other } = twoThreads()
  const head = { name: 'c_total', help: '', type: 'counter', labels: {} } as const
  threads.addReport(one, { heads: [{ ...head, id: 1, since: 2000 }], values: Float64Array.of(1, 1, 1) })
  threads.addReport(other, { heads: [{ ...head, id: 7, since: 1000 }], values: Float64Array.of(1, 7, 1) })
  assert.equal(threads.samples()[0]?.since, 1000)
})
