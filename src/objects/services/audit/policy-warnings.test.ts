import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditService as Service } from '#contracts'
import type { JsonObject } from '#json'
import { build } from '#test/build'
import { secretsType } from '#test/changing-secrets'
import { Folder } from '#test/folder'
import { RecordedAudit, RecordingAuditEventHandler } from '#test/recorded-audit'
import { AuditService } from './audit-service.ts'

async function open(config: JsonObject, more: JsonObject = {}) {
  const recorded = new RecordedAudit()
  const handler = { class: 'RecordingAuditEventHandler', config: { name: 'main', topics: ['access', 'payment'] } }
  const schema = { schema: { type: 'object' }, filterPolicies: { field: { includeIf: ['/amount'] } } }
  using schemas = new Folder({ 'payment.json': JSON.stringify(schema) })
  const built = await build<Service>(
    AuditService,
    { eventHandlers: [handler], topicSchemasDirectory: schemas.path, config, ...more },
    {
      types: [RecordingAuditEventHandler, secretsType({ 'audit.hash': 'key' })],
      openAudit: recorded.openAudit,
    },
  )
  return { built, recorded, [Symbol.asyncDispose]: () => built[Symbol.asyncDispose]() }
}

/** Warnings about the inner `config`, from there on. */
async function warningsOf(config: JsonObject): Promise<string[]> {
  await using opened = await open(config, { secretsProvider: { type: 'TestSecrets' } })
  return opened.built.warnings.map((warning) => warning.replace('/heap/0/config/config/', ''))
}

const TOPICS = 'topics are access, config, notifications, payment'

test('a pointer whose topic does not exist is a warning in every policy', async () => {
  const field = {
    includeIf: ['/acess/http/request/headers/x-tenant'],
    excludeIf: ['/access/userId', '/http/request/headers'],
    hash: { secretId: 'audit.hash', fields: ['/Access/userId'] },
    truncate: { '/paymnt/note': 3 },
  }
  const value = { includeIf: ['/activity/x'], excludeIf: ['/acces/userId'] }
  const like = (name: string) => `; did you mean "${name}"?; ${TOPICS}`
  const none = (pointer: string, topic: string, rest: string) =>
    `"${pointer}" has no effect: there is no topic "${topic}"${rest}`
  assert.deepEqual(await warningsOf({ filterPolicies: { field, value }, caseInsensitiveFields: ['/headers'] }), [
    `caseInsensitiveFields/0: ${none('/headers', 'headers', `; ${TOPICS}`)}`,
    `filterPolicies/field/includeIf/0: ${none(field.includeIf[0]!, 'acess', like('access'))}`,
    `filterPolicies/field/excludeIf/1: ${none(field.excludeIf[1]!, 'http', `; ${TOPICS}`)}`,
    `filterPolicies/field/hash/fields/0: ${none('/Access/userId', 'Access', like('access'))}`,
    `filterPolicies/field/truncate/~1paymnt~1note: ${none('/paymnt/note', 'paymnt', like('payment'))}`,
    `filterPolicies/value/includeIf/0: ${none('/activity/x', 'activity', `; ${TOPICS}`)}`,
    `filterPolicies/value/excludeIf/0: ${none('/acces/userId', 'acces', like('access'))}`,
  ])
})

test('a field that events of a topic of the gateway can not have is a warning', async () => {
  const excludeIf = [
    '/access/http/reqest/headers',
    '/access/http/request/method/x',
    '/access/http/request/headers/host/0',
    '/access/HTTP/request/path',
    '/config/changedField',
    '/notifications/notification/bod',
  ]
  const no = (at: number, topic: string, field: string, rest = '') =>
    `filterPolicies/field/excludeIf/${at}: "${excludeIf[at]}" has no effect: ${topic} events have no field "${field}"${rest}`
  assert.deepEqual(await warningsOf({ filterPolicies: { field: { excludeIf } } }), [
    no(0, 'access', '/http/reqest', '; did you mean "request"?'),
    no(1, 'access', '/http/request/method/x'),
    no(2, 'access', '/http/request/headers/host/0'),
    no(3, 'access', '/HTTP', '; did you mean "http"?'),
    no(4, 'config', '/changedField', '; did you mean "changedFields"?'),
    no(5, 'notifications', '/notification/bod', '; did you mean "body"?'),
  ])
})

test('a policy that hides what queries need is a warning', async () => {
  const field = { excludeIf: ['/access/_id', '/payment'], truncate: { '/config/timestamp': 10 } }
  const value = { excludeIf: ['/access/timestamp', '/payment/_id'], includeIf: ['/payment/_id'] }
  const id = 'by which queries find events and recipients recognise one that was sent twice; keep it as it is'
  const time = 'by which queries and pages order events; keep it as it is'
  assert.deepEqual(await warningsOf({ filterPolicies: { field, value } }), [
    `filterPolicies/field/excludeIf/0: "/access/_id" hides _id of access events, ${id}`,
    `filterPolicies/field/excludeIf/1: "/payment" hides _id of payment events, ${id}`,
    `filterPolicies/field/excludeIf/1: "/payment" hides timestamp of payment events, ${time}`,
    `filterPolicies/field/truncate/~1config~1timestamp: "/config/timestamp" hides timestamp of config events, ${time}`,
    `filterPolicies/value/excludeIf/0: "/access/timestamp" hides timestamp of access events, ${time}`,
  ])
})

test('fields that events have, by either name of the group and in any case of a header, are no warnings', async () => {
  const includeIf = [
    '/access',
    '/access/_id',
    '/access/ig/ext/account',
    '/access/gateway/decision/reason',
    '/access/http/request/headers/X-Tenant',
    '/access/http/request/queryParameters/page',
    '/access/http/request/cookies/theme',
    '/access/http/response/headers',
    '/access/response/detail/any',
    '/access/trackingIds',
    '/notifications/notification/body/universalId',
    '/config/request/detail/any',
    '/payment/anything',
  ]
  const folded = { caseInsensitiveFields: ['/access', '/access/http/request/headers'] }
  assert.deepEqual(await warningsOf({ filterPolicies: { field: { includeIf } } }), [])
  const excludeIf = ['/access/HTTP/request/path', '/access/userid']
  assert.deepEqual(await warningsOf({ ...folded, filterPolicies: { field: { excludeIf } } }), [])
})

test('an event without its _id still has one towards the writer', async () => {
  await using opened = await open({ filterPolicies: { field: { excludeIf: ['/payment/_id'] } } })
  opened.built.object.publish('payment', { _id: 'p1', eventName: 'PAID', amount: 3 })
  assert.deepEqual(
    opened.recorded.published.map(({ id }) => id),
    ['p1'],
  )
  assert.equal(opened.recorded.events('payment')[0]!['_id'], undefined)
})
