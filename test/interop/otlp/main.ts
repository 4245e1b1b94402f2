// Audit events, spans, metrics and log entries to a real OpenTelemetry Collector.
import assert from 'node:assert/strict'
import { DEFAULT_TLS_PLAN } from '#contracts'
import { respond } from '#http'
import { createLogger } from '#logging'
import { MetricsRegistry } from '#metrics'
import { systemClock } from '#schema'
import { Tracer } from '#telemetry'
import { accessEvent } from '#test/audit-events'
import { exchangeFor } from '#test/exchange'
import { otlpLogRecord } from '../../../src/audit/formats/otlp.ts'
import { type OtlpPlan, openOtlp } from '../../../src/audit/transports/otlp/otlp-transport.ts'
import { otlpLogRecordOf } from '../../../src/control/monitoring/telemetry/otlp-log-record.ts'
import { otlpMetrics } from '../../../src/control/monitoring/telemetry/otlp-metrics.ts'
import { type QueuedRecord, RecordRefused, type Transport } from '../../../src/durable-queue/delivery/transport.ts'
import { deliver } from '../delivering.ts'
import { type Flow, runFlows } from '../flows.ts'
import { withOwned } from '../owned.ts'
import { Collector, goMissing } from './collector.ts'

interface Peers {
  readonly collector: Collector
  open(plan?: Partial<OtlpPlan>): Transport
}

function events(prefix: string, count: number): QueuedRecord[] {
  return Array.from({ length: count }, (_, index) => ({
    topic: 'access',
    id: `${prefix}-${index}`,
    text: otlpLogRecord('common', 'access', accessEvent({ _id: `${prefix}-${index}`, userId: 'é€😀 "\\\u2028' })),
    time: Date.now(),
  }))
}

function complete(compression: OtlpPlan['compression']): Flow<Peers> {
  return {
    name: `events arrive with all fields, compression ${compression}`,
    run: async ({ collector, open }) => {
      const transport = open({ compression })
      const started = performance.now()
      await deliver(transport, events(compression, 5_000), { batch: 500 })
      const seconds = (performance.now() - started) / 1_000
      await transport.close()
      const records = await collector.records(compression, 5_000)
      assert.equal(records.length, 5_000)
      const [first] = records
      assert.equal(first?.timeUnixNano, `${Date.parse('2026-11-16T01:02:03.456Z')}000000`)
      assert.equal(first?.severityText, 'WARN')
      assert.equal(first?.traceId, '4bf92f3577b34da6a3ce929d0e0e4736')
      assert.equal(first?.attributes.get('http.response.status_code'), '403')
      assert.equal(first?.body.get('userId'), 'é€😀 "\\\u2028')
      assert.equal(first?.resource.get('service.name'), 'identity-gateway')
      return `5,000 events in ${seconds.toFixed(1)} s`
    },
  }
}

const record = (topic: string, text: string, n = 0): QueuedRecord => ({ topic, id: `${n}`, text, time: Date.now() })

/** The collector decodes every field strictly, and exports what it understood. */
const telemetry: Flow<Peers> = {
  name: 'spans, metrics with exemplars and log entries are understood',
  run: async ({ collector, open }) => {
    const spans: QueuedRecord[] = []
    const tracer = new Tracer({ isParentBased: true, ratio: 1 }, ({ text }) => spans.push(record('spans', text)))
    const exchange = exchangeFor('GET', 'http://shop.example/cart?secret=1', { headers: { 'User-Agent': 'é "' } })
    const span = tracer.begin('GET', { parents: [`00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`], states: ['v=1'] })
    span.beginClient(exchange.request, 1)?.end(503, 'HTTP/2', 'GW_UPSTREAM_CLOSED')
    span.beginInternal('Filter')?.end(null)
    span.end(exchange, { response: respond(503), end: 'sent' })
    const registry = new MetricsRegistry()
    const scope = registry.open()
    scope
      .histogram('http_server_request_duration_seconds', 'D.', { http_response_status_code: '200' })
      .observeTraced(0.2, span.traceId, span.spanId)
    scope.counter('gw_x_total', 'X.').add()
    scope.gauge('gw_y', 'Y.').set(0.5)
    scope.summary('gw_s', 'S.').observe(1)
    const metrics = Array.from(otlpMetrics(registry.collect(), Date.now()), (text, n) => record('metrics', text, n))
    const line = JSON.stringify({ level: 'warn', time: new Date().toISOString(), traceId: span.traceId, message: 'm' })
    const signals = { traces: spans, metrics, logs: [record('logs', otlpLogRecordOf(line) ?? '')] } as const
    for (const [signal, records] of Object.entries(signals)) {
      const transport = open({ signal: signal as 'traces' })
      await transport.send(records, new AbortController().signal)
      await transport.close()
    }
    const { traceId } = span
    const traces = await collector.requests('/v1/traces', [
      traceId,
      '"http.request.resend_count"',
      '"traceState":"v=1"',
    ])
    assert.ok(!traces.includes('secret'))
    await collector.requests('/v1/metrics', ['http.server.request.duration', 'gw_x_total', 'gw_y', 'gw_s', traceId])
    await collector.requests('/v1/logs', [traceId])
  },
}

const FLOWS: readonly Flow<Peers>[] = [
  telemetry,
  complete('none'),
  complete('gzip'),
  {
    name: 'the collector is restarted in the middle, and all events arrive',
    run: async ({ collector, open }) => {
      const records = events('restart', 2_000)
      const transport = open()
      await deliver(transport, records.slice(0, 500))
      await collector.stop()
      const rest = deliver(transport, records.slice(500), { batch: 100 })
      await new Promise((resolve) => setTimeout(resolve, 500))
      await collector.start()
      const { failures } = await rest
      await transport.close()
      const found = await collector.records('restart', 2_000)
      assert.ok(failures.length > 0, 'calls failed while the collector was down')
      return `${failures.length} failed calls, ${found.length - 2_000} repeats`
    },
  },
  {
    name: 'a record that the collector can not decode is rejected, and the others arrive',
    run: async ({ collector, open }) => {
      const records = events('refused', 9)
      records[4] = { ...(records[4] as QueuedRecord), text: '{"timeUnixNano":"no number"}' }
      const transport = open()
      const { refused } = await deliver(transport, records)
      await transport.close()
      assert.deepEqual(refused, ['refused-4'])
      await collector.records('refused', 8)
    },
  },
  {
    name: 'TLS with a client certificate; without one, and with another path, calls fail and discard nothing',
    run: async ({ collector, open }) => {
      const endpoint = `https://127.0.0.1:${collector.securePort}`
      const { key, certificate } = collector.authority.issue({ name: 'gateway' })
      const tls = { ...DEFAULT_TLS_PLAN, ca: [collector.authority.certificate] }
      const transport = open({ endpoint, tls: { ...tls, key: [key], cert: [certificate] } })
      await deliver(transport, events('secure', 100))
      await transport.close()
      await collector.records('secure', 100)
      const reasons: string[] = []
      const wrong = [{ endpoint, tls }, { endpoint: `http://127.0.0.1:${collector.port}/elsewhere` }]
      for (const plan of wrong) {
        const refused = open(plan)
        const failure = await refused.send(events('x', 2), new AbortController().signal).catch((error: Error) => error)
        await refused.close()
        assert.ok(failure instanceof Error && !(failure instanceof RecordRefused))
        reasons.push(failure.message)
      }
      return reasons.join('; ')
    },
  },
]

/** Words choose flows by their name. */
export function run(words: readonly string[]): Promise<boolean> {
  if (goMissing !== false) {
    console.log(`NOTICE: ${goMissing}`)
    return Promise.resolve(false)
  }
  return withOwned(async (owned) => {
    const flows = FLOWS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)))
    const collector = owned.use(new Collector())
    await collector.create()
    const env = { logger: createLogger({ level: 'silent' }), clock: systemClock }
    const open = (plan: Partial<OtlpPlan> = {}): Transport =>
      openOtlp(
        {
          endpoint: `http://127.0.0.1:${collector.port}`,
          headers: [],
          compression: 'none',
          connectTimeout: 5_000,
          requestTimeout: 10_000,
          resourceAttributes: { 'service.name': 'identity-gateway' },
          tls: null,
          ...plan,
        },
        env,
      )
    return runFlows(flows, { collector, open })
  })
}
