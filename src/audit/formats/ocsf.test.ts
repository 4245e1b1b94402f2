import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '#json'
import { accessEvent, configChangeEvent } from '#test/audit-events'
import { ocsfEvent } from './ocsf.ts'

/** Attributes that each class requires, as published. */
const REQUIRED = ['activity_id', 'category_uid', 'class_uid', 'metadata', 'severity_id', 'time', 'type_uid']

/** Attributes of OCSF 1.3.0 that events use, by object; `''` is the event of any class. */
const ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  '': [
    ...REQUIRED,
    'activity_name',
    'status_id',
    'status_code',
    'status_detail',
    'duration',
    'unmapped',
    'actor',
    'src_endpoint',
    'dst_endpoint',
    'http_request',
    'http_response',
    'entity',
    'entity_result',
    'action_id',
    'policy',
  ],
  metadata: ['version', 'product', 'profiles', 'uid', 'correlation_uid', 'event_code', 'log_name'],
  actor: ['user'],
  src_endpoint: ['ip', 'hostname', 'port'],
  dst_endpoint: ['ip', 'hostname', 'port'],
  http_request: ['http_method', 'user_agent', 'url'],
  http_response: ['code', 'latency'],
  entity: ['uid', 'type', 'version'],
  entity_result: ['uid', 'type', 'version'],
  policy: ['name'],
}

function check(event: JsonObject): void {
  for (const name of REQUIRED) assert.ok(name in event, `${name} is required`)
  assert.equal(event['type_uid'], Number(event['class_uid']) * 100 + Number(event['activity_id']))
  assert.equal(event['category_uid'], Math.floor(Number(event['class_uid']) / 1_000))
  for (const [name, value] of [['', event] as const, ...Object.entries(event)]) {
    const known = ATTRIBUTES[name]
    if (known === undefined || typeof value !== 'object') continue
    for (const attribute of Object.keys(value as JsonObject))
      assert.ok(known.includes(attribute), `${name}.${attribute}`)
  }
  const metadata = event['metadata'] as JsonObject
  assert.ok('version' in metadata && 'product' in metadata)
}

test('an access event is an HTTP Activity with the required attributes of OCSF', () => {
  const event = ocsfEvent('access', accessEvent())
  check(event)
  assert.equal(event['class_uid'], 4002)
  assert.equal(event['type_uid'], 400203)
  assert.equal(event['time'], Date.parse('2026-11-16T01:02:03.456Z'))
  assert.equal(event['status_id'], 2)
  assert.equal(event['action_id'], 2)
  assert.deepEqual(event['src_endpoint'], { ip: '192.0.2.7', port: 50_123 })
  assert.deepEqual(event['http_response'], { code: 403, latency: 12 })
  assert.deepEqual((event['http_request'] as JsonObject)['url'], {
    url_string: 'https://app.example.com:8443/reports/7',
    scheme: 'https',
    hostname: 'app.example.com',
    port: 8443,
    path: '/reports/7',
  })
  assert.equal((event['unmapped'] as JsonObject)['traceId'], '4bf92f3577b34da6a3ce929d0e0e4736')
})

test('each method has the activity of OCSF, and other methods their name', () => {
  const activity = (method: string) => {
    const event = ocsfEvent('access', accessEvent({ http: { request: { method } } }))
    check(event)
    return [event['activity_id'], event['activity_name']]
  }
  assert.deepEqual(activity('CONNECT'), [1, 'Connect'])
  assert.deepEqual(activity('TRACE'), [8, 'Trace'])
  assert.deepEqual(activity('PATCH'), [99, 'PATCH'])
  assert.deepEqual(activity('constructor'), [99, 'constructor'])
})

test('a change of the configuration is an Entity Management event', () => {
  for (const [operation, activity] of Object.entries({ CREATE: 1, UPDATE: 3, PATCH: 3, DELETE: 4, ACTION: 99 })) {
    const event = ocsfEvent('config', configChangeEvent({ operation }))
    check(event)
    assert.equal(event['class_uid'], 3004)
    assert.equal(event['activity_id'], activity)
    assert.equal((event['entity'] as JsonObject)['uid'], 'system/objects/_router/routes/reports')
  }
})

test('events of custom topics are Base Events with their fields in unmapped', () => {
  const event = ocsfEvent('payments', { _id: '1', timestamp: '2026-11-16T01:02:03.456Z', eventName: 'PAID', amount: 7 })
  check(event)
  assert.equal(event['class_uid'], 0)
  assert.deepEqual(event['unmapped'], { amount: 7 })
})
