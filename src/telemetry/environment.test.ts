import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readTelemetryPlan } from './environment.ts'

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }

function plan(env: Record<string, string>) {
  const { plan: read, warnings } = readTelemetryPlan(env)
  assert.deepEqual(warnings, [])
  assert.ok(read !== null)
  return read
}

function warningsOf(env: Record<string, string>) {
  return readTelemetryPlan({ ...ENDPOINT, ...env }).warnings
}

describe('OTEL_ variables', () => {
  test('without an endpoint everything is off', () => {
    assert.deepEqual(readTelemetryPlan({ OTEL_SERVICE_NAME: 'x', OTEL_EXPORTER_OTLP_HEADERS: 'a=b' }), {
      plan: null,
      warnings: [],
    })
    assert.equal(readTelemetryPlan({ OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }).plan, null)
  })

  test('OTEL_SDK_DISABLED switches everything off', () => {
    assert.equal(readTelemetryPlan({ ...ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' }).plan, null)
    assert.notEqual(readTelemetryPlan({ ...ENDPOINT, OTEL_SDK_DISABLED: 'no' }).plan, null)
  })

  test('an endpoint switches all signals on, with the defaults of the specification', () => {
    const { signals, sampler, batch, resource, metricInterval } = plan(ENDPOINT)
    const signal = {
      endpoint: 'http://collector:4318',
      isWholeUrl: false,
      headers: [],
      timeout: 10_000,
      compression: 'none',
      certificate: null,
      clientCertificate: null,
      clientKey: null,
    }
    assert.deepEqual(signals, { traces: signal, metrics: signal, logs: signal })
    assert.deepEqual(sampler, { isParentBased: true, ratio: 1 })
    assert.deepEqual(batch, { maxQueue: 2_048, maxBatch: 512, delay: 5_000 })
    assert.deepEqual(resource, { 'service.name': 'identity-gateway' })
    assert.equal(metricInterval, 60_000)
  })

  test('variables of a signal override those of all signals; its endpoint is a whole URL', () => {
    const { signals } = plan({
      ...ENDPOINT,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20one, x-tenant=a',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example/otlp',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'api-key=two',
      OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '500',
      OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: 'gzip',
      OTEL_METRICS_EXPORTER: 'none',
    })
    const { traces, metrics, logs } = signals
    assert.deepEqual([traces?.endpoint, traces?.isWholeUrl], ['https://traces.example/otlp', true])
    assert.deepEqual([traces?.headers, traces?.timeout, traces?.compression], [[['api-key', 'two']], 500, 'gzip'])
    assert.equal(metrics, null)
    assert.deepEqual(logs?.headers, [
      ['authorization', 'Bearer one'],
      ['x-tenant', 'a'],
    ])
  })

  test('an exporter that is named without an endpoint sends to the collector of this machine', () => {
    const { signals } = plan({ OTEL_TRACES_EXPORTER: 'otlp' })
    assert.equal(signals.traces?.endpoint, 'http://localhost:4318')
    assert.equal(signals.logs, null)
  })

  test('service name and resource attributes', () => {
    const attributes = { OTEL_RESOURCE_ATTRIBUTES: 'service.name=a,deployment.environment.name=pro%20d' }
    assert.deepEqual(plan({ ...ENDPOINT, ...attributes }).resource, {
      'service.name': 'a',
      'deployment.environment.name': 'pro d',
    })
    assert.equal(plan({ ...ENDPOINT, ...attributes, OTEL_SERVICE_NAME: 'b' }).resource['service.name'], 'b')
  })

  test('samplers', () => {
    const sampler = (name: string, argument = '') =>
      plan({ ...ENDPOINT, OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: argument }).sampler
    assert.deepEqual(sampler('always_on'), { isParentBased: false, ratio: 1 })
    assert.deepEqual(sampler('parentbased_always_off'), { isParentBased: true, ratio: 0 })
    assert.deepEqual(sampler('traceidratio', '0.25'), { isParentBased: false, ratio: 0.25 })
    assert.deepEqual(sampler('parentbased_traceidratio', '1e-2'), { isParentBased: true, ratio: 0.01 })
    assert.deepEqual(sampler('parentbased_traceidratio'), { isParentBased: true, ratio: 1 })
  })

  test('a value that is not supported is one sentence, and its default is used', () => {
    assert.deepEqual(warningsOf({ OTEL_TRACES_SAMPLER: 'jaeger_remote' }), [
      'OTEL_TRACES_SAMPLER: expected always_on, always_off or traceidratio, or one of them after parentbased_, got "jaeger_remote"; parentbased_always_on is used',
    ])
    assert.deepEqual(warningsOf({ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '2' }), [
      'OTEL_TRACES_SAMPLER_ARG: expected a number from 0 to 1, got "2"; 1 is used',
    ])
    assert.deepEqual(warningsOf({ OTEL_EXPORTER_OTLP_TIMEOUT: 'soon' }), [
      'OTEL_EXPORTER_OTLP_TIMEOUT: expected a whole number from 1 to 600000, got "soon"; 10000 is used',
    ])
    assert.deepEqual(warningsOf({ OTEL_TRACES_EXPORTER: 'zipkin' }), [
      'OTEL_TRACES_EXPORTER: expected otlp or none, got "zipkin"; it is taken for none',
    ])
    assert.deepEqual(warningsOf({ OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'grpc' }), [
      'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: expected http/json or http/protobuf, got "grpc"; no traces are exported',
    ])
    assert.deepEqual(warningsOf({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'collector:4318' }), [
      'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: expected a URL such as http://localhost:4318; no traces are exported',
    ])
    assert.deepEqual(warningsOf({ OTEL_PROPAGATORS: 'tracecontext,baggage' }), [])
    assert.deepEqual(warningsOf({ OTEL_PROPAGATORS: 'tracecontext, b3' }), [
      'OTEL_PROPAGATORS: expected tracecontext, with or without baggage, got "tracecontext, b3"; tracecontext is used',
    ])
    assert.deepEqual(warningsOf({ OTEL_BSP_MAX_QUEUE_SIZE: '0' }), [
      'OTEL_BSP_MAX_QUEUE_SIZE: expected a whole number from 1 to 1000000, got "0"; 2048 is used',
    ])
  })

  test('warnings about headers quote nothing of them', () => {
    const warnings = warningsOf({ OTEL_EXPORTER_OTLP_HEADERS: 'a=b,s3cr3t, x=%zz,c=%0d%0ad' })
    assert.deepEqual(warnings, [
      'OTEL_EXPORTER_OTLP_HEADERS: entry 2 is not name=value and is ignored',
      'OTEL_EXPORTER_OTLP_HEADERS: entry 3 is not name=value and is ignored',
      'OTEL_EXPORTER_OTLP_HEADERS: entry 4 is not name=value and is ignored',
    ])
  })
})
