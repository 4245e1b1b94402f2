// Audit events to a real OpenTelemetry Collector.
import assert from 'node:assert/strict'
import { createLogger } from '#logging'
import { systemClock } from '#schema'
import { accessEvent } from '#test/audit-events'
import { type AuditRecord, RecordRefused, type Transport } from '../../../src/audit/delivery/transport.ts'
import { otlpLogRecord } from '../../../src/audit/formats/otlp.ts'
import { type OtlpPlan, openOtlp } from '../../../src/audit/transports/otlp/otlp-transport.ts'
import { DEFAULT_TLS_PLAN } from '../../../src/audit/transports/tls-plan.ts'
import { deliver } from '../delivering.ts'
import { type Flow, runFlows } from '../flows.ts'
import { withOwned } from '../owned.ts'
import { Collector, goMissing } from './collector.ts'

interface Peers {
  readonly collector: Collector
  open(plan?: Partial<OtlpPlan>): Transport
}

function events(prefix: string, count: number): AuditRecord[] {
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

const FLOWS: readonly Flow<Peers>[] = [
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
      records[4] = { ...(records[4] as AuditRecord), text: '{"timeUnixNano":"no number"}' }
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
