// Audit events whose journal is on a disk that does not answer any call, in a gateway as users run it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GatewayProcess } from '#test/gateway-process'
import { HangingDisk, noHangingDisk } from '#test/hanging-disk'
import { freePort } from '#test/nginx'
import { sendRequest } from '#test/send-request'
import { waitUntil } from '#test/waiting'

const UNITS = 2
/** Milliseconds in which each request is answered by units that do not hang; beyond it a unit is unresponsive. */
const ANSWER = 5_000

test('one unit hangs with the disk, its successor and the other serve while it hangs, and the journal is written again after it', {
  timeout: 150_000,
  skip: noHangingDisk,
}, async () => {
  const config = {
    name: 'syslog',
    topics: ['access'],
    ...{ protocol: 'TCP', host: '127.0.0.1', port: await freePort(), facility: 'LOCAL0' },
    spool: { enabled: true },
  }
  const eventHandlers = [{ class: 'org.vendor.audit.handlers.SyslogAuditEventHandler', config }]
  using disk = new HangingDisk('/spool/audit')
  await using gateway = await GatewayProcess.start({
    units: UNITS,
    env: disk.env,
    files: {
      'config/config.json': {
        heap: [{ name: 'AuditService', type: 'AuditService', config: { eventHandlers } }],
        handler: { type: 'StaticResponseHandler', config: { status: 200, entity: 'hello' } },
      },
    },
  })
  /** Sends requests on new connections for some time; returns the number of those without a response. */
  const load = async (milliseconds: number): Promise<number> => {
    let unanswered = 0
    const sender = async () => {
      for (const end = performance.now() + milliseconds; performance.now() < end; ) {
        const signal = AbortSignal.timeout(ANSWER)
        const text = await sendRequest(`http://127.0.0.1:${gateway.port}/`, { signal }).then(
          (response) => response.text,
          () => null,
        )
        if (text !== 'hello') unanswered++
      }
    }
    await Promise.all(Array.from({ length: 16 }, sender))
    return unanswered
  }
  const stuck = () => gateway.log.with(/the thread of a unit can not be ended/)
  const readiness = () => gateway.askAdmin('/health/ready?verbose')

  assert.equal(await load(1_000), 0)
  assert.equal(gateway.log.with(/GW_CONTROL_AUDIT_JOURNAL_FAILED/).length, 0)
  disk.hang()
  while (stuck().length === 0) await load(1_000)
  await waitUntil('the gateway is ready', async () => (await readiness()).status === 200)
  assert.equal(await load(12_000), 0, 'requests without a response while the disk hangs')
  assert.equal(stuck().length, 1, 'units that hang with the disk')
  const { status, text } = await readiness()
  assert.equal(status, 200)
  assert.match(text, /"name": "audit.journal",\s+"ok": true,\s+"state": "degraded"/)

  disk.release()
  await gateway.log.until(/units write the journals of audit events again/)
  assert.doesNotMatch((await readiness()).text, /audit\.journal/)
  assert.equal(await load(1_000), 0)
})
