import assert from 'node:assert/strict'
import { hostname } from 'node:os'
import { test } from 'node:test'
import type { AuditEventHandler } from '#contracts'
import type { JsonObject } from '#json'
import { accessEvent } from '#test/audit-events'
import { build } from '#test/build'
import { ClientTlsOptions } from '../../tls/client-tls-options/client-tls-options.ts'
import { SyslogAuditEventHandler } from './syslog-audit-event-handler.ts'

const CONFIG: JsonObject = {
  name: 'syslog',
  topics: ['access'],
  protocol: 'TCP',
  host: 'logs.example.com',
  port: 6514,
  facility: 'local0',
}

const open = (config: JsonObject = {}) =>
  build<AuditEventHandler>(SyslogAuditEventHandler, { ...CONFIG, ...config }, { types: [ClientTlsOptions] })

const text = (handler: AuditEventHandler) => handler.format.forTopic({ name: 'access', schema: {} })(accessEvent())

test('the transport is plain data with the defaults', async () => {
  await using built = await open()
  assert.deepEqual(structuredClone(built.object.transport), {
    type: 'syslog',
    protocol: 'TCP',
    host: 'logs.example.com',
    port: 6514,
    connectTimeout: 5_000,
    sendTimeout: 10_000,
    tls: null,
  })
  assert.equal(built.object.supportsQueries, false)
})

test('messages have the facility, the mapped severity and the name of the machine', async () => {
  const severityFieldMappings = [{ topic: 'access', field: '/response/status', valueMappings: { FAILED: 'error' } }]
  await using built = await open({ severityFieldMappings })
  const message = text(built.object)
  assert.ok(message.startsWith(`<${16 * 8 + 3}>1 2026-11-16T01:02:03.456Z ${hostname()} identity-gateway `), message)
})

test('the fields of other products are accepted: productName, and 0 as connectTimeout', async () => {
  await using built = await open({ productName: 'ig', connectTimeout: 0 })
  assert.match(text(built.object), / ig \d+ /)
  assert.equal((built.object.transport as unknown as { connectTimeout: number }).connectTimeout, 5_000)
})

test('handlers with other settings have a format of their own, handlers with the same settings share one', async () => {
  await using first = await open()
  await using same = await open({ name: 'second', host: 'other.example.com' })
  await using other = await open({ facility: 'AUTH' })
  assert.equal(first.object.format.key, same.object.format.key)
  assert.notEqual(first.object.format.key, other.object.format.key)
})

test('format chooses the schema of the JSON', async () => {
  await using built = await open({ format: 'ecs' })
  assert.match(text(built.object), /\] \{"@timestamp":/)
})

test('TLS verifies the server by default, and by tls where it is set', async () => {
  await using standard = await open({ protocol: 'TLS' })
  const { tls } = standard.object.transport as unknown as { tls: JsonObject }
  assert.deepEqual([tls['rejectUnauthorized'], tls['checkServerIdentity']], [true, true])
  await using configured = await open({
    protocol: 'TLS',
    tls: { type: 'ClientTlsOptions', config: { hostnameVerifier: 'ALLOW_ALL' } },
  })
  const plan = configured.object.transport as unknown as { tls: JsonObject }
  assert.deepEqual([plan.tls['rejectUnauthorized'], plan.tls['checkServerIdentity']], [true, false])
})

const REFUSED: readonly (readonly [string, JsonObject, RegExp])[] = [
  ['a missing facility', { facility: undefined as never }, /\/config\/facility: .*required/],
  ['an unknown facility', { facility: 'LOCAL9' }, /\/config\/facility: expected one of "KERN", .*got "LOCAL9"/],
  [
    'an unknown severity',
    { severityFieldMappings: [{ topic: 'access', field: 'x', valueMappings: { a: 'BAD' } }] },
    /\/valueMappings\/a: expected one of "EMERGENCY"/,
  ],
  ['an unknown protocol', { protocol: 'SCTP' }, /\/config\/protocol: expected one of "UDP", "TCP", "TLS"/],
  ['tls without TLS', { tls: { type: 'ClientTlsOptions' } }, /\/config\/tls: expected none without "protocol": "TLS"/],
  [
    'a datagram that is too long',
    { protocol: 'UDP', maxMessageSize: 70_000 },
    /\/config\/maxMessageSize: expected at most 65507/,
  ],
]

for (const [name, config, message] of REFUSED) {
  test(`refuses ${name}`, async () => {
    await assert.rejects(open(config), message)
  })
}
