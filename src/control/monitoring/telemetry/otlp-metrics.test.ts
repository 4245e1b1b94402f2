import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MetricsRegistry } from '#metrics'
import { otlpLogRecordOf } from './otlp-log-record.ts'
import { otlpMetrics } from './otlp-metrics.ts'

const NOW = 1_700_000_000_000

function exported(registry: MetricsRegistry) {
  return Array.from(otlpMetrics(registry.collect(), NOW), (text) => JSON.parse(text))
}

test('counters, gauges and summaries keep their names and labels', () => {
  const registry = new MetricsRegistry()
  const scope = registry.open()
  scope.counter('gw_x_total', 'Xs.', { route: 'a' }).add(3)
  scope.gauge('gw_y', 'Ys.').set(0.5)
  scope.gauge('gw_z', 'Zs.').set(Number.POSITIVE_INFINITY)
  scope.summary('gw_s', 'Ss.').observe(1)
  const [counter, gauge, summary, ...rest] = exported(registry)
  assert.deepEqual(rest, [])
  assert.deepEqual([counter.name, counter.description], ['gw_x_total', 'Xs.'])
  assert.deepEqual([counter.sum.isMonotonic, counter.sum.aggregationTemporality], [true, 2])
  const [point] = counter.sum.dataPoints
  assert.deepEqual([point.asDouble, point.timeUnixNano], [3, '1700000000000000000'])
  assert.deepEqual(point.attributes, [{ key: 'route', value: { stringValue: 'a' } }])
  assert.equal(gauge.gauge.dataPoints[0].asDouble, 0.5)
  assert.deepEqual([summary.summary.dataPoints[0].count, summary.summary.dataPoints[0].sum], ['1', 1])
  assert.equal(summary.summary.dataPoints[0].quantileValues.length, 6)
})

test('the durations of requests have the name and the attributes of the semantic conventions, and exemplars', () => {
  const registry = new MetricsRegistry()
  const histogram = registry.open().histogram('http_server_request_duration_seconds', 'Durations.', {
    http_request_method: 'GET',
    http_response_status_code: '200',
    http_route: '',
    url_scheme: 'https',
  })
  histogram.observe(0.001)
  histogram.observeTraced(0.3, '0af7651916cd43dd8448eb211c80319c', '00f067aa0ba902b7')
  const [metric] = exported(registry)
  assert.deepEqual([metric.name, metric.unit], ['http.server.request.duration', 's'])
  const [point] = metric.histogram.dataPoints
  assert.deepEqual(point.attributes, [
    { key: 'http.request.method', value: { stringValue: 'GET' } },
    { key: 'http.response.status_code', value: { intValue: '200' } },
    { key: 'url.scheme', value: { stringValue: 'https' } },
  ])
  assert.equal(point.bucketCounts.length, point.explicitBounds.length + 1)
  assert.deepEqual([point.count, point.bucketCounts[0], point.bucketCounts[7]], ['2', '1', '1'])
  const { traceId, spanId, asDouble } = point.exemplars[0]
  assert.deepEqual([traceId, spanId, asDouble], ['0af7651916cd43dd8448eb211c80319c', '00f067aa0ba902b7', 0.3])
})

test('a metric with many series is several records', () => {
  const registry = new MetricsRegistry()
  const scope = registry.open()
  for (let n = 0; n < 1_200; n++) scope.counter('gw_x_total', 'Xs.', { route: `${n}` })
  assert.deepEqual(
    exported(registry).map(({ sum }) => sum.dataPoints.length),
    [500, 500, 200],
  )
})

test('a log line is a record with severity, fields and trace; other texts are none', () => {
  const line = {
    level: 'warn',
    time: '2023-11-14T22:13:20.000Z',
    logger: 'gateway+x',
    code: 'GW_X',
    nested: { a: [1] },
    traceId: '0af7651916cd43dd8448eb211c80319c',
    message: 'it failed',
  }
  const record = JSON.parse(otlpLogRecordOf(JSON.stringify(line)) ?? '')
  assert.deepEqual(
    [record.severityNumber, record.severityText, record.body],
    [13, 'WARN', { stringValue: 'it failed' }],
  )
  assert.deepEqual([record.timeUnixNano, record.traceId], ['1700000000000000000', line.traceId])
  assert.deepEqual(
    record.attributes.map(({ key }: { key: string }) => key),
    ['code', 'nested', 'log.logger'],
  )
  assert.equal(otlpLogRecordOf('not JSON'), null)
})
