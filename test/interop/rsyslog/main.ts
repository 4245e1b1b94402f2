// Audit events to a real rsyslog over UDP, TCP and TLS, compared with the parsed messages.
import assert from 'node:assert/strict'
import { DEFAULT_TLS_PLAN } from '#contracts'
import { createLogger } from '#logging'
import { systemClock } from '#schema'
import { accessEvent } from '#test/audit-events'
import { type SyslogSettings, syslogMessage } from '../../../src/audit/formats/syslog.ts'
import type { SyslogPlan } from '../../../src/audit/transports/syslog/syslog-plan.ts'
import { openSyslog } from '../../../src/audit/transports/syslog/syslog-transport.ts'
import type { QueuedRecord, Transport } from '../../../src/durable-queue/delivery/transport.ts'
import { deliver } from '../delivering.ts'
import { type Flow, runFlows } from '../flows.ts'
import { withOwned } from '../owned.ts'
import { RsyslogServer, rsyslogMissing } from './rsyslog-server.ts'

interface Peers {
  readonly rsyslog: RsyslogServer
  open(protocol: SyslogPlan['protocol'], plan?: Partial<SyslogPlan>): Transport
}

const SETTINGS: SyslogSettings = {
  facility: 'LOCAL3',
  severityMappings: [{ topic: 'access', path: ['response', 'status'], severities: new Map([['FAILED', 'WARNING']]) }],
  format: 'common',
  hostname: 'gw1.example.com',
  appName: 'identity-gateway',
  processId: '4711',
  maxBytes: 8_192,
}

/** Text that is difficult for parsers, terminals and framing. */
const AWKWARD = 'é€😀 "quoted" \\ ] [x@1 a="b"] \n\r\t\0\u001b[31m\u2028 12 <34>1 '

function events(prefix: string, count: number): { events: ReturnType<typeof accessEvent>[]; records: QueuedRecord[] } {
  const made = Array.from({ length: count }, (_, index) =>
    accessEvent({ _id: `${prefix}-${index}`, transactionId: `${AWKWARD}${index}`, userId: AWKWARD }),
  )
  const records = made.map((event) => ({
    topic: 'access',
    id: String(event['_id']),
    text: syslogMessage(SETTINGS, 'access', event),
    time: Date.now(),
  }))
  return { events: made, records }
}

function flow(protocol: SyslogPlan['protocol'], count: number): Flow<Peers> {
  return {
    name: `${protocol}: events arrive complete, in order, with all fields parsed`,
    run: async ({ rsyslog, open }) => {
      const { events: expected, records } = events(`complete-${protocol}`, count)
      const transport = open(protocol)
      const started = performance.now()
      await deliver(transport, records, { batch: protocol === 'UDP' ? 50 : 500 })
      const seconds = (performance.now() - started) / 1_000
      const messages = await rsyslog.messages(`complete-${protocol}`, count)
      await transport.close()
      assert.deepEqual(
        messages.map(({ message }) => JSON.parse(message)),
        expected,
      )
      const [first] = messages
      assert.deepEqual(
        [first?.input, first?.facility, first?.severity, first?.hostname, first?.appName, first?.messageId],
        [protocol, 'local3', 'warning', 'gw1.example.com', 'identity-gateway', 'GATEWAY-HTTP-ACCESS'],
      )
      assert.match(first?.structuredData ?? '', /^\[event@32473 topic="access" id="complete-\w+-0" transactionId="/)
      return `${count} events in ${seconds.toFixed(1)} s`
    },
  }
}

function restart(protocol: SyslogPlan['protocol']): Flow<Peers> {
  return {
    name: `${protocol}: rsyslog is restarted in the middle, and all events arrive`,
    run: async ({ rsyslog, open }) => {
      const { records } = events(`restart-${protocol}`, 2_000)
      const transport = open(protocol)
      await deliver(transport, records.slice(0, 1_000))
      // Messages in the buffers of a stopped receiver are lost: syslog has no acknowledgement.
      await rsyslog.messages(`restart-${protocol}`, 1_000)
      await rsyslog.stop()
      const rest = deliver(transport, records.slice(1_000), { batch: 100 })
      await new Promise((resolve) => setTimeout(resolve, 500))
      await rsyslog.start()
      const { failures } = await rest
      const messages = await rsyslog.messages(`restart-${protocol}`, 2_000)
      await transport.close()
      return `${failures.length} failed calls, ${messages.length - 2_000} repeats`
    },
  }
}

const FLOWS: readonly Flow<Peers>[] = [
  flow('UDP', 500),
  flow('TCP', 5_000),
  flow('TLS', 5_000),
  restart('TCP'),
  restart('TLS'),
  {
    name: 'TLS: a client without certificate is a failure, and none of its events arrives',
    run: async ({ rsyslog, open }) => {
      const { records } = events('certificate', 300)
      const { signal } = new AbortController()
      const refused = open('TLS', { tls: { ...DEFAULT_TLS_PLAN, ca: [rsyslog.authority.certificate] } })
      // TLS 1.3: the server rejects after the client has finished its handshake, and the first calls may end before it does.
      let accepted = 0
      const failure = await sendOneByOne()
      await refused.close()
      assert.ok(failure instanceof Error, 'a call fails')
      await assert.rejects(rsyslog.messages('certificate', 1, 500), 'no event arrives')
      return `${accepted} calls ended before the refusal: ${failure.message}`

      async function sendOneByOne(): Promise<Error | null> {
        for (const record of records) {
          try {
            await refused.send([record], signal)
            accepted += 1
          } catch (error) {
            return error as Error
          }
        }
        return null
      }
    },
  },
  {
    name: 'a truncated message is parsed, with its structured data',
    run: async ({ rsyslog, open }) => {
      const event = accessEvent({ _id: 'truncated-0', userId: 'é€😀'.repeat(5_000) })
      const text = syslogMessage(SETTINGS, 'access', event)
      const transport = open('UDP')
      await deliver(transport, [{ topic: 'access', id: 'truncated-0', text, time: Date.now() }])
      const [message] = await rsyslog.messages('truncated-0', 1)
      await transport.close()
      assert.match(message?.structuredData ?? '', / truncated="true"\]$/)
    },
  },
]

/** Words choose flows by their name. */
export function run(words: readonly string[]): Promise<boolean> {
  if (rsyslogMissing !== false) {
    console.log(`NOTICE: ${rsyslogMissing}`)
    return Promise.resolve(false)
  }
  return withOwned(async (owned) => {
    const flows = FLOWS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)))
    const rsyslog = owned.use(new RsyslogServer())
    await rsyslog.create()
    const env = { logger: createLogger({ level: 'silent' }), clock: systemClock }
    const { key, certificate } = rsyslog.client
    const tls = { ...DEFAULT_TLS_PLAN, ca: [rsyslog.authority.certificate], key: [key], cert: [certificate] }
    const open = (protocol: SyslogPlan['protocol'], plan: Partial<SyslogPlan> = {}): Transport =>
      openSyslog(
        {
          protocol,
          host: '127.0.0.1',
          port: rsyslog.ports[protocol],
          connectTimeout: 5_000,
          sendTimeout: 5_000,
          tls,
          ...plan,
        },
        env,
      )
    return runFlows(flows, { rsyslog, open })
  })
}
