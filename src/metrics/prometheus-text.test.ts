import assert from 'node:assert/strict'
import { test } from 'node:test'
import { prometheusText } from './prometheus-text.ts'
import { MetricsRegistry, type MetricsScope } from './registry.ts'

async function written(measure: (scope: MetricsScope) => void): Promise<string> {
  const registry = new MetricsRegistry()
  measure(registry.open())
  return (await prometheusText(registry.collect())).toString('utf8')
}

test('families are sorted by name, each with its help and type once', async () => {
  const text = await written((scope) => {
    scope.gauge('gw_y', 'Ys.').set(7)
    scope.counter('gw_x_total', 'Xs.', { route: 'a', name: 'A' }).add(3)
    scope.gauge('gw_z', 'Zs.').set(0.5)
    scope.counter('gw_x_total', 'Xs.', { route: 'b', name: 'B' }).add(1)
  })
  assert.equal(
    text,
    [
      '# HELP gw_x_total Xs.',
      '# TYPE gw_x_total counter',
      'gw_x_total{route="a",name="A"} 3',
      'gw_x_total{route="b",name="B"} 1',
      '# HELP gw_y Ys.',
      '# TYPE gw_y gauge',
      'gw_y 7',
      '# HELP gw_z Zs.',
      '# TYPE gw_z gauge',
      'gw_z 0.5',
      '',
    ].join('\n'),
  )
})

test('a summary has quantiles, a sum and a count', async () => {
  const text = await written((scope) => scope.summary('gw_t', 'Ts.', { route: 'a' }).observe(0.25))
  assert.deepEqual(text.split('\n').slice(2), [
    ...['0.5', '0.75', '0.95', '0.98', '0.99', '0.999'].map((part) => `gw_t{route="a",quantile="${part}"} 0.25`),
    'gw_t_sum{route="a"} 0.25',
    'gw_t_count{route="a"} 1',
    '',
  ])
})

test('a summary without observations has no quantiles', async () => {
  const text = await written((scope) => scope.summary('gw_t', 'Ts.'))
  assert.deepEqual(text.split('\n').slice(2), ['gw_t_sum 0', 'gw_t_count 0', ''])
})

test('B92: backslashes, quotes and line ends in values are escaped', async () => {
  const text = await written((scope) => {
    scope.gauge('gw_a', 'one\ntwo \\ "three"', { name: 'a"\n{}\\', route: '} 1\ngw_b 2' }).set(1)
  })
  assert.equal(
    text,
    [
      '# HELP gw_a one\\ntwo \\\\ "three"',
      '# TYPE gw_a gauge',
      'gw_a{name="a\\"\\n{}\\\\",route="} 1\\ngw_b 2"} 1',
      '',
    ].join('\n'),
  )
})

test('NaN, infinite, very large and very small values are written in the format of Prometheus', async () => {
  const values = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e21, 1e-7, -0, 2 ** 53]
  const text = await written((scope) => {
    for (const [at, value] of values.entries()) scope.gauge(`gw_${at}`, '').set(value)
  })
  const found = text.split('\n').filter((line) => line.startsWith('gw_'))
  assert.deepEqual(
    found.map((line) => line.split(' ')[1]),
    ['NaN', '+Inf', '-Inf', '1e+21', '1e-7', '0', '9007199254740992'],
  )
})

test('writing a long text yields to the event loop', async () => {
  const registry = new MetricsRegistry()
  const scope = registry.open()
  for (let at = 0; at < 10_000; at++) scope.counter('gw_x_total', 'Xs.', { at: String(at) })
  const writing = prometheusText(registry.collect())
  let turns = 0
  let over = false
  const count = () => {
    turns++
    if (!over) setImmediate(count)
  }
  setImmediate(count)
  const text = (await writing).toString('utf8')
  over = true
  assert.equal(text.split('\n').length, 10_003)
  assert.ok(turns >= 4, `${turns} turns`)
})
