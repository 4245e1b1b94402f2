import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { JsonObject } from '#json'
import { readOpenTelemetry } from './open-telemetry.ts'

function read(settings: JsonObject) {
  const reports: string[] = []
  const defaults = readOpenTelemetry(settings, (pointer, message) => reports.push(`${pointer}: ${message}`))
  return { ...defaults, reports }
}

describe('openTelemetry of admin.json', () => {
  test('enabled signals are exported to their endpoint, by default to the collector of this machine', () => {
    const exporter = { type: 'otlp', config: { endpoint: 'https://collector.example/v1/traces' } }
    assert.deepEqual(read({ tracing: { enabled: true, exporter }, logging: { enabled: true } }), {
      endpoints: { traces: 'https://collector.example/v1/traces', logs: 'http://localhost:4318/v1/logs' },
      reports: [],
    })
    assert.deepEqual(read({ tracing: { enabled: false, exporter } }).endpoints, {})
    assert.deepEqual(read({}), { endpoints: {}, reports: [] })
  })

  test('samplers by name or with a ratio', () => {
    assert.deepEqual(read({ tracing: { sampler: 'parentBasedAlwaysOff' } }).sampler, { isParentBased: true, ratio: 0 })
    const sampler = { type: 'parentBasedTraceIdRatio', config: { ratio: 0.1 } }
    assert.deepEqual(read({ tracing: { sampler } }).sampler, { isParentBased: true, ratio: 0.1 })
  })

  test('enabled has to be true or false', () => {
    const { endpoints, reports } = read({ tracing: { enabled: 'maybe' }, logging: { enabled: 'true' } })
    assert.deepEqual(endpoints, { logs: 'http://localhost:4318/v1/logs' })
    assert.deepEqual(reports, ['/tracing/enabled: expected true or false; false is used'])
  })

  test('settings without a counterpart are reported', () => {
    const { reports } = read({
      tracing: { enabled: true, sampler: 'sometimes', batch: {}, exporter: { type: 'zipkin', config: { timeout: 1 } } },
      metrics: true,
    })
    assert.deepEqual(
      reports.map((report) => report.split(':')[0]),
      ['/tracing/exporter/type', '/tracing/exporter/config/timeout', '/tracing/sampler', '/tracing/batch', '/metrics'],
    )
  })
})
