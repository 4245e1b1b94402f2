import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { quantile } from './histogram.ts'
import { MetricsRegistry } from './registry.ts'

function observed(values: readonly number[]) {
  const registry = new MetricsRegistry()
  const summary = registry.open().summary('s', '')
  for (const value of values) summary.observe(value)
  return registry.collect()[0]
}

test('a summary has sum, count, and each observation in a bucket that is at most 5 % wide', () => {
  const values = [0.5, 0.0001, 59.9, 0.0123, 1]
  const sample = observed(values)
  assert.equal(sample?.count, values.length)
  assert.ok(Math.abs((sample?.value ?? 0) - values.reduce((sum, value) => sum + value)) < 1e-9)
  const bounds = (sample?.recent?.buckets ?? []).map(([bound]) => bound)
  assert.equal(bounds.length, values.length)
  for (const [at, value] of values.toSorted((a, b) => a - b).entries()) {
    const bound = bounds[at] as number
    assert.ok(bound >= value * 0.999999 && bound <= value * 1.05, `${value} is in the bucket up to ${bound}`)
  }
})

test('observations out of range are counted in the first and the last bucket', () => {
  const sample = observed([0, -1, 1e-12, Number.NaN, 1e9])
  assert.deepEqual(
    sample?.recent?.buckets.map(([, count]) => count),
    [4, 1],
  )
})

test('a summary without observations has no buckets and no quantiles', () => {
  const { recent } = observed([]) ?? {}
  assert.ok(recent)
  assert.deepEqual(recent.buckets, [])
  assert.equal(quantile(recent, 0.5), null)
})

test('the quantile of one observation is that observation', () => {
  const { recent } = observed([0.123]) ?? {}
  assert.ok(recent)
  for (const part of [0, 0.5, 0.999, 1]) assert.equal(quantile(recent, part), 0.123)
})

test('quantiles are those of the sorted observations, within 5 %', () => {
  const durations = fc.double({ min: 1e-5, max: 1000, noNaN: true })
  fc.assert(
    fc.property(
      fc.array(durations, { minLength: 1, maxLength: 200 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (values, part) => {
        const { recent } = observed(values) ?? {}
        assert.ok(recent)
        const exact = values.toSorted((a, b) => a - b)[Math.max(1, Math.ceil(values.length * part)) - 1] as number
        const found = quantile(recent, part) as number
        assert.ok(found >= exact * 0.999999 && found <= exact * 1.05, `${found} for ${exact}`)
      },
    ),
  )
})

test('quantiles cover the last ten minutes; sum and count cover all observations', () => {
  const registry = new MetricsRegistry()
  const summary = registry.open().summary('s', '')
  const minutes = (count: number) => {
    for (let ticks = 0; ticks < count * 12; ticks++) registry.tick()
  }
  summary.observe(100)
  minutes(5)
  summary.observe(1)
  const recentOf = () => registry.collect()[0]?.recent
  assert.deepEqual([recentOf()?.count, recentOf()?.max], [2, 100])
  minutes(5)
  assert.deepEqual([recentOf()?.count, recentOf()?.max], [1, 1])
  minutes(5)
  assert.equal(recentOf()?.count, 0)
  const [sample] = registry.collect()
  assert.deepEqual([sample?.value, sample?.count], [101, 2])
})

test('rates are weighted over the last one, five and fifteen minutes', () => {
  const registry = new MetricsRegistry()
  const summary = registry.open().summary('s', '')
  const rates = () => registry.collect()[0]?.rates as { m1: number; m5: number; m15: number }
  registry.tick()
  assert.deepEqual(rates(), { m1: 0, m5: 0, m15: 0 })
  for (let tick = 0; tick < 12; tick++) {
    for (let at = 0; at < 50; at++) summary.observe(1)
    registry.tick()
  }
  assert.ok(Object.values(rates()).every((rate) => Math.abs(rate - 10) < 1e-9))
  for (let tick = 0; tick < 12; tick++) registry.tick()
  const { m1, m5, m15 } = rates()
  assert.ok(Math.abs(m1 - 10 / Math.E) < 0.01)
  assert.ok(m1 < m5 && m5 < m15 && m15 < 10)
})
