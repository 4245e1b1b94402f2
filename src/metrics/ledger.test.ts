import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MetricLedger } from './ledger.ts'
import { quantile } from './observations.ts'
import { MetricsRegistry } from './registry.ts'

function threads() {
  const ledger = new MetricLedger()
  const [one, other] = [new MetricsRegistry(), new MetricsRegistry()]
  const ask = (...registries: MetricsRegistry[]) => {
    for (const registry of registries) ledger.take(registry, registry.report(ledger.lastHead(registry)))
  }
  const read = () =>
    Object.fromEntries(ledger.samples().map(({ name, labels, value }) => [name + labelText(labels), value]))
  return { ledger, one, other, ask, read }
}

function labelText(labels: Readonly<Record<string, string>>): string {
  return Object.values(labels)
    .map((value) => ` ${value}`)
    .join('')
}

test('counters and gauges of threads are added up, by their labels', () => {
  const { one, other, ask, read } = threads()
  for (const registry of [one, other]) {
    const holder = registry.open()
    holder.gauge('g', '').set(2)
    holder.counter('c_total', '', { route: registry === one ? 'a' : 'b' }).add(3)
    holder.counter('c_total', '', { route: 'both' }).add(4)
  }
  ask(one, other)
  assert.deepEqual(read(), { g: 4, 'c_total a': 3, 'c_total b': 3, 'c_total both': 8 })
})

test('of what all threads see alike, the largest value counts', () => {
  const { one, other, ask, read } = threads()
  one.open().reading('g', '', { read: () => -3, merge: 'max' })
  other.open().reading('g', '', { read: () => -5, merge: 'max' })
  ask(one, other)
  assert.deepEqual(read(), { g: -3 })
})

test('a summary has the quantiles of all observations together', () => {
  const { ledger, one, other, ask } = threads()
  const [first, second] = [one.open().summary('s', ''), other.open().summary('s', '')]
  for (let at = 0; at < 90; at++) first.observe(0.01)
  for (let at = 0; at < 10; at++) second.observe(1)
  ask(one, other)
  const [sample] = ledger.samples()
  assert.ok(sample?.recent)
  assert.deepEqual([sample.count, sample.recent.count, sample.recent.min, sample.recent.max], [100, 100, 0.01, 1])
  assert.ok(Math.abs((quantile(sample.recent, 0.9) as number) - 0.01) < 0.0005)
  assert.equal(quantile(sample.recent, 0.91), 1)
  assert.ok(Math.abs(sample.value - 10.9) < 1e-9)
})

test('totals do not go back when a thread ends, nor when its successor starts from nothing', () => {
  const { ledger, one, other, ask, read } = threads()
  for (const registry of [one, other]) {
    const holder = registry.open()
    holder.counter('c_total', '').add(5)
    holder.gauge('g', '').set(5)
    holder.summary('s', '').observe(5)
  }
  ask(one, other)
  ledger.end(one)
  assert.deepEqual(read(), { c_total: 10, g: 5, s: 10 })
  const successor = new MetricsRegistry()
  const holder = successor.open()
  holder.counter('c_total', '').add(1)
  holder.gauge('g', '').set(1)
  holder.summary('s', '').observe(1)
  ask(successor, other)
  ledger.forgetGone()
  assert.deepEqual(read(), { c_total: 11, g: 6, s: 11 })
  assert.equal(ledger.samples().find(({ name }) => name === 's')?.count, 3)
  ledger.end(successor)
  ledger.end(other)
  assert.deepEqual(read(), { c_total: 11, s: 11 })
  ledger.end(other)
  assert.deepEqual(read(), { c_total: 11, s: 11 })
})

test('totals of what nobody has any more are forgotten', () => {
  const { ledger, one, other, ask, read } = threads()
  one.open().counter('c_total', '', { route: 'a' }).add(5)
  other.open().counter('c_total', '', { route: 'b' }).add(5)
  ask(one, other)
  ledger.end(one)
  assert.deepEqual(read(), { 'c_total a': 5, 'c_total b': 5 })
  ask(other)
  ledger.forgetGone()
  assert.deepEqual(read(), { 'c_total b': 5 })
})

test('a series that a thread has given up is gone with its next report, and begins anew', () => {
  const { one, ask, read } = threads()
  const holder = one.open()
  holder.counter('c_total', '').add(5)
  ask(one)
  holder.release()
  ask(one)
  assert.deepEqual(read(), {})
  one.open().counter('c_total', '').add(1)
  ask(one)
  assert.deepEqual(read(), { c_total: 1 })
})

test('heads that came without values change nothing yet', () => {
  const { one, ask, read } = threads()
  const holder = one.open()
  for (let at = 0; at < 2500; at++) holder.counter('c_total', '', { at: String(at) }).add()
  ask(one)
  assert.deepEqual(read(), {})
  ask(one)
  assert.equal(Object.keys(read()).length, 2500)
})

test('B92: labels that look alike once they are written are one series', () => {
  const { one, ask, read } = threads()
  const holder = one.open()
  holder.counter('c_total', '', { route: '\ud800' }).add()
  holder.counter('c_total', '', { route: '\ud801' }).add()
  ask(one)
  assert.deepEqual(Object.values(read()), [2])
})

test('a series began when the first thread began it', () => {
  const { ledger, one, other } = threads()
  const head = { name: 'c_total', help: '', type: 'counter', labels: {} } as const
  ledger.take(one, { heads: [{ ...head, id: 1, since: 2000 }], values: Float64Array.of(1, 1, 1) })
  ledger.take(other, { heads: [{ ...head, id: 7, since: 1000 }], values: Float64Array.of(1, 7, 1) })
  assert.equal(ledger.samples()[0]?.since, 1000)
})
