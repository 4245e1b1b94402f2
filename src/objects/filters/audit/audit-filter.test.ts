import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Filter } from '#http'
import { respond } from '#http'
import type { JsonObject, JsonValue } from '#json'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { Folder } from '#test/folder'
import { RecordedAudit, RecordingAuditEventHandler } from '#test/recorded-audit'
import { AuditService } from '../../services/audit/audit-service.ts'
import { NoOpAuditService } from '../../services/no-op-audit/no-op-audit-service.ts'
import { AuditFilter } from './audit-filter.ts'

async function run(
  config: JsonObject,
): Promise<{ events: [string, JsonObject][]; log: readonly unknown[]; failed: number }> {
  let failed = 0
  const events: [string, JsonObject][] = []
  await using built = await build<Filter>(AuditFilter, config as JsonValue)
  const exchange = exchangeFor('GET', 'http://app.test/a', { headers: { 'X-Account': '17' } })
  exchange.auditPublisher = {
    send: (topic, event) => void events.push([topic, event]),
    countFailed: () => void failed++,
  }
  const response = await built.object(exchange, async () => respond(201))
  assert.equal(response.status, 201)
  return { events, log: built.log.lines, failed }
}

test('publishes an event with fields of request and response to the service of the request', async () => {
  const fields = {
    account: "${request.headers['X-Account'][0]}",
    status: '${response.status.code}',
    none: '${null}',
    list: ['a', 1],
  }
  const { events } = await run({ topic: 'payment', fields })
  const [[topic, event] = ['', {}], ...none] = events
  assert.equal(none.length, 0)
  assert.equal(topic, 'payment')
  const { transactionId, ...rest } = event as JsonObject
  assert.equal(typeof transactionId, 'string')
  assert.deepEqual(rest, { eventName: 'payment', account: '17', status: 201, list: ['a', 1] })
})

test('a field that fails leaves the response as it is, and is logged and counted', async () => {
  const { events, log, failed } = await run({ topic: 'payment', fields: { broken: '${request.nothing()}' } })
  assert.equal(events.length, 0)
  assert.equal(log.length, 1)
  assert.equal(failed, 1)
})

test('without an audit service nothing happens', async () => {
  await using built = await build<Filter>(AuditFilter, { topic: 'payment', fields: {} })
  const response = await built.object(exchangeFor('GET', 'http://app.test/'), async () => respond(204))
  assert.equal(response.status, 204)
  assert.deepEqual(built.log.lines, [])
})

test('a topic of the gateway itself is a load error', async () => {
  for (const topic of ['access', 'config', 'notifications']) {
    await assert.rejects(build(AuditFilter, { topic, fields: {} }), {
      message: `/heap/0/config/topic: only the gateway itself writes the topic "${topic}"; send the event to a custom topic, which has a schema file`,
    })
  }
})

test('a topic that no event handler of its auditService has is a load error', async () => {
  using schemas = new Folder({ 'payment.json': '{"schema":{}}', 'refund.json': '{"schema":{}}' })
  const handlers = [
    { class: 'RecordingAuditEventHandler', config: { name: 'main', topics: ['payment'] } },
    { class: 'RecordingAuditEventHandler', config: { name: 'off', topics: ['refund'], enabled: false } },
  ]
  const own = { type: 'AuditService', config: { topicSchemasDirectory: schemas.path, eventHandlers: handlers } }
  const withTopic = (topic: string, auditService: JsonObject) =>
    build<Filter>(
      AuditFilter,
      { topic, fields: {}, auditService },
      { types: [AuditService, NoOpAuditService, RecordingAuditEventHandler], openAudit: new RecordedAudit().openAudit },
    )
  await assert.rejects(withTopic('paymnt', own), {
    message:
      '/heap/0/config/topic: no event handler of the audit service has the topic "paymnt"; did you mean "payment"?; add it to "topics" of a handler',
  })
  await using _taken = await withTopic('payment', own)
  await using _off = await withTopic('refund', own)
  await using _none = await withTopic('paymnt', { type: 'NoOpAuditService' })
})

test('needs a topic and fields', async () => {
  await assert.rejects(build(AuditFilter, {}), {
    message:
      '/heap/0/config/topic: expected a string; this field is required\n/heap/0/config/fields: expected a map of JSON with expressions; this field is required',
  })
})
