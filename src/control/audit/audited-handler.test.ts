import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { QueuedRecord } from '#durable-queue'
import { type Handler, Response, respond } from '#http'
import type { JsonObject } from '#json'
import { exchangeFor } from '#test/exchange'
import { auditedHandler } from './audited-handler.ts'
import { type RecordedChange, recordChange } from './change-recorder.ts'
import { ConfigAudit } from './config-audit.ts'

const BASE = '/api/system/things'

/** Sends a request to a handler, and returns the events recorded before its response. */
async function recorded(
  method: string,
  target: string,
  handler: Handler,
  { headers = {}, base = BASE } = {},
): Promise<JsonObject[]> {
  const events: JsonObject[] = []
  const added: QueuedRecord[] = []
  const trail = {
    add: (records: readonly QueuedRecord[]) => added.push(...records),
    attempt: async () => {
      await new Promise((resolve) => setImmediate(resolve))
      events.push(...added.splice(0).map(({ text }) => JSON.parse(text) as JsonObject))
      return true
    },
  }
  const audit = new ConfigAudit(trail, { now: () => 0 })
  await auditedHandler(handler, base, audit)(exchangeFor(method, `http://localhost${base}${target}`, { headers }))
  return events
}

const changing =
  (change: RecordedChange, status = 200): Handler =>
  async (exchange) => {
    recordChange(exchange, change)
    return respond(status)
  }
const refusing =
  (status: number, body = ''): Handler =>
  async () =>
    new Response(status, { body })

const before = { revision: 'a', content: { x: 1 } }
const after = { revision: 'b', content: { x: 2 } }
const summary = (events: readonly JsonObject[]) =>
  events.map(({ operation, objectId, response }) => [operation, objectId, (response as JsonObject)['status']])

describe('requests that change something', () => {
  const rows: readonly (readonly [method: string, target: string, change: RecordedChange, operation: string])[] = [
    ['PUT', '/x', { id: 'x', before, after }, 'UPDATE'],
    ['PUT', '/x', { id: 'x', before: null, after }, 'CREATE'],
    ['POST', '', { id: 'x', before: null, after }, 'CREATE'],
    ['POST', '?_action=CREATE', { id: 'x', before: null, after }, 'CREATE'],
    ['PATCH', '/x', { id: 'x', before, after }, 'PATCH'],
    ['DELETE', '/x', { id: 'x', before, after: null }, 'DELETE'],
    ['POST', '/x?_ACTION=rollback', { id: 'x', before, after }, 'ACTION'],
  ]
  test('names in the id of the object are not encoded, as in events of changed files', async () => {
    const base = '/api/system/objects/my%20router/routes'
    const events = await recorded('PUT', '/x', changing({ id: 'x', before, after }), { base })
    assert.deepEqual(summary(events), [['UPDATE', 'system/objects/my router/routes/x', 'SUCCESSFUL']])
  })

  for (const [method, target, change, operation] of rows) {
    test(`${method} ${target} is ${operation}`, async () => {
      const events = await recorded(method, target, changing(change))
      assert.deepEqual(summary(events), [[operation, 'system/things/x', 'SUCCESSFUL']])
    })
  }

  test('a change is recorded as done, also where a later step failed', async () => {
    const events = await recorded('PUT', '/x', changing({ id: 'x', before, after }, 500))
    assert.deepEqual(events[0]?.['response'], { status: 'SUCCESSFUL', statusCode: '500' })
  })
})

describe('requests that are refused', () => {
  for (const [method, target, status, operation, objectId, headers] of [
    ['PUT', '/x', 412, 'UPDATE', 'system/things/x', {}],
    ['PUT', '/x', 412, 'CREATE', 'system/things/x', { 'If-None-Match': '*' }],
    ['DELETE', '/a%20b', 404, 'DELETE', 'system/things/a b', {}],
    ['DELETE', '/%ff', 400, 'DELETE', 'system/things/%ff', {}],
    ['PATCH', '', 405, 'PATCH', 'system/things', {}],
    ['POST', '?_action=create', 409, 'CREATE', 'system/things', {}],
    ['POST', '/x?_action=rollback', 404, 'ACTION', 'system/things/x', {}],
  ] as const) {
    test(`${method} ${target} with ${status} is a failed ${operation}`, async () => {
      const events = await recorded(method, target, refusing(status), { headers })
      assert.deepEqual(summary(events), [[operation, objectId, 'FAILED']])
    })
  }

  test('have the pointers of the problems, not their messages', async () => {
    const problems = [{ pointer: '/x', message: 'hunter2' }, { pointer: 7 }, 'hunter2']
    const events = await recorded('PUT', '/x', refusing(400, JSON.stringify({ detail: { problems } })))
    assert.deepEqual((events[0]?.['response'] as JsonObject | undefined)?.['detail'], { pointers: ['/x'] })
    assert.doesNotMatch(JSON.stringify(events), /hunter2/)
  })
})

test('requests that only read leave no event', async () => {
  for (const [method, target] of [
    ['GET', '/x'],
    ['HEAD', '/x'],
    ['OPTIONS', '/x'],
    ['POST', '?_action=validate'],
    ['POST', '/x?_action=history'],
  ] as const) {
    assert.deepEqual(await recorded(method, target, refusing(400)), [], `${method} ${target}`)
  }
  assert.deepEqual(await recorded('PUT', '/x', refusing(200)), [])
})
