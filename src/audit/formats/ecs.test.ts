import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject, JsonValue } from '#json'
import { accessEvent, configChangeEvent } from '#test/audit-events'
import { ecsEvent } from './ecs.ts'

type FieldType = 'keyword' | 'keywords' | 'date' | 'ip' | 'long'

/** Fields of the Elastic Common Schema that events use, with their types as published. */
const FIELDS: Readonly<Record<string, FieldType>> = {
  '@timestamp': 'date',
  'ecs.version': 'keyword',
  'event.id': 'keyword',
  'event.kind': 'keyword',
  'event.module': 'keyword',
  'event.dataset': 'keyword',
  'event.action': 'keyword',
  'event.category': 'keywords',
  'event.type': 'keywords',
  'event.outcome': 'keyword',
  'event.duration': 'long',
  'event.reason': 'keyword',
  'labels.transaction_id': 'keyword',
  'trace.id': 'keyword',
  'user.id': 'keyword',
  'client.address': 'keyword',
  'client.ip': 'ip',
  'client.port': 'long',
  'server.address': 'keyword',
  'server.ip': 'ip',
  'server.port': 'long',
  'http.request.method': 'keyword',
  'http.response.status_code': 'long',
  'url.original': 'keyword',
  'url.scheme': 'keyword',
  'url.domain': 'keyword',
  'url.port': 'long',
  'url.path': 'keyword',
  'user_agent.original': 'keyword',
  'rule.name': 'keyword',
}

/** Values that the schema allows for `event.type` in a category, as published. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  web: ['access', 'error', 'info'],
  configuration: ['access', 'change', 'creation', 'deletion', 'info'],
}

function leaves(object: JsonObject, prefix = ''): [string, JsonValue][] {
  return Object.entries(object).flatMap(([name, value]): [string, JsonValue][] => {
    const path = `${prefix}${name}`
    if (path === 'gateway') return []
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? leaves(value as JsonObject, `${path}.`) : [[path, value]]
  })
}

function hasType(value: JsonValue, type: FieldType | undefined): boolean {
  if (type === 'long') return Number.isSafeInteger(value)
  if (type === 'keywords') return Array.isArray(value) && value.every((each) => typeof each === 'string')
  if (type === 'ip') return typeof value === 'string' && /^[0-9a-f.:]+$/i.test(value)
  if (type === 'date') return typeof value === 'string' && !Number.isNaN(Date.parse(value))
  return type === 'keyword' && typeof value === 'string'
}

test('an access event has fields of the Elastic Common Schema only, and others in the object gateway', () => {
  const event = ecsEvent('access', accessEvent())
  for (const [path, value] of leaves(event))
    assert.ok(hasType(value, FIELDS[path]), `${path}: ${JSON.stringify(value)}`)
  assert.equal(leaves(event).length, Object.keys(FIELDS).length, 'each field of the table is written')
  assert.deepEqual(event['gateway'], {
    ...(accessEvent()['gateway'] as JsonObject),
    access: {
      http: { request: { secure: true, headers: { 'user-agent': ['curl/8.5'], host: ['app.example.com:8443'] } } },
    },
  })
  const { event: about, url, http } = event as Record<string, JsonObject>
  assert.equal(about?.['duration'], 12_000_000)
  assert.equal(about?.['outcome'], 'failure')
  assert.deepEqual(url, {
    original: 'https://app.example.com:8443/reports/7',
    scheme: 'https',
    domain: 'app.example.com',
    port: 8443,
    path: '/reports/7',
  })
  assert.deepEqual(http, { request: { method: 'GET' }, response: { status_code: 403 } })
})

test('categories and types are values that the Elastic Common Schema allows', () => {
  const events = [
    ecsEvent('access', accessEvent()),
    ecsEvent('access', accessEvent({ response: { status: 'SUCCESSFUL', statusCode: '200' } })),
    ...['CREATE', 'UPDATE', 'PATCH', 'DELETE', 'ACTION'].map((operation) =>
      ecsEvent('config', configChangeEvent({ operation })),
    ),
  ]
  for (const event of events) {
    const { category, type } = event['event'] as { category: string[]; type: string[] }
    for (const each of type) assert.ok(TYPES[category[0] ?? '']?.includes(each), `${category[0]} ${each}`)
  }
})

test('an event with the group ig has the same fields in the Elastic Common Schema', () => {
  const { gateway, ...others } = accessEvent()
  assert.deepEqual(ecsEvent('access', { ...others, ig: gateway as JsonObject }), ecsEvent('access', accessEvent()))
})

test('the outcome of a request without response is unknown, and an address that is no IP stays out of the field ip', () => {
  const { response: _none, ...first } = accessEvent({ client: { ip: 'unix socket', port: 0 } })
  const event = ecsEvent('access', first)
  assert.equal((event['event'] as JsonObject)['outcome'], 'unknown')
  assert.deepEqual(event['client'], { address: 'unix socket', port: 0 })
})

test('events of custom topics keep their fields below gateway', () => {
  const event = ecsEvent('payments', { _id: '1', timestamp: '2026-11-16T01:02:03.456Z', eventName: 'PAID', amount: 7 })
  assert.deepEqual(event['gateway'], { payments: { amount: 7 } })
})
