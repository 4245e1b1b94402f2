import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SerialIds } from '#http'
import type { JsonObject } from '#json'
import { changedFields } from './changed-fields.ts'
import { type ConfigChange, configEvent } from './config-event.ts'
import { chronologicalKey, eventLine, isTopicName, MAX_LINE_BYTES } from './event.ts'
import { eventCheck } from './topics/topic-schemas.ts'
import { BUILT_IN_TOPICS } from './topics/topics.ts'

const CHANGE: ConfigChange = {
  actor: { userId: 'admin', authentication: 'basic', client: { ip: '127.0.0.1', port: 4711 } },
  transactionId: 'work-1',
  objectId: 'system/objects/_router/routes/one',
  operation: 'UPDATE',
  protocol: 'CREST',
  previousRevision: 'aa',
  revision: 'bb',
  changedFields: ['/handler/config/entity'],
  outcome: { isDone: true, statusCode: 200, pointers: [] },
}

describe('events of the configuration', () => {
  test('have actor, operation, and both revisions', () => {
    assert.deepEqual(configEvent('id-1', Date.UTC(2026, 1, 3, 4, 5, 6, 7), CHANGE), {
      _id: 'id-1',
      timestamp: '2026-02-03T04:05:06.007Z',
      eventName: 'GATEWAY-CONFIG-CHANGE',
      transactionId: 'work-1',
      userId: 'admin',
      authentication: 'basic',
      client: { ip: '127.0.0.1', port: 4711 },
      request: { protocol: 'CREST', operation: 'UPDATE' },
      objectId: 'system/objects/_router/routes/one',
      operation: 'UPDATE',
      previousRevision: 'aa',
      revision: 'bb',
      changedFields: ['/handler/config/entity'],
      response: { status: 'SUCCESSFUL', statusCode: '200' },
    })
  })

  test('satisfy the published schema with every way of authentication', () => {
    const check = eventCheck(BUILT_IN_TOPICS.find(({ name }) => name === 'config')!)
    for (const authentication of ['basic', 'studio', 'adminProtection', 'file', 'release', 'none'] as const) {
      const event = configEvent('id', 0, { ...CHANGE, actor: { userId: null, authentication } })
      assert.equal(check(event), null, authentication)
    }
    assert.equal(check(configEvent('id', 0, { ...CHANGE, protocol: 'RELEASE' })), null)
    assert.notEqual(check({ ...configEvent('id', 0, CHANGE), authentication: 'guess' }), null)
  })

  test('unknown values are left out, and a refusal has its status and the pointers of its problems', () => {
    const event = configEvent('id', 0, {
      ...CHANGE,
      actor: { userId: null, authentication: 'file' },
      detail: { file: 'one.json' },
      previousRevision: null,
      revision: null,
      changedFields: [],
      outcome: { isDone: false, statusCode: 400, pointers: ['/handler', '/handler'] },
    })
    for (const name of ['userId', 'client', 'previousRevision', 'revision'])
      assert.equal(Object.hasOwn(event, name), false)
    assert.deepEqual(event['response'], { status: 'FAILED', statusCode: '400', detail: { pointers: ['/handler'] } })
    assert.deepEqual(event['request'], { protocol: 'CREST', operation: 'UPDATE', detail: { file: 'one.json' } })
  })

  test('always fit into a line, however long the names in a request are', () => {
    const long = '\u2028'.repeat(10_000)
    const event = configEvent('id', 0, {
      ...CHANGE,
      actor: { userId: long, authentication: 'adminProtection' },
      transactionId: long,
      objectId: long,
      detail: { file: long },
      changedFields: Array.from({ length: 1_000 }, (_, n) => `/${'\u2028'.repeat(n)}`),
      outcome: { isDone: false, statusCode: 400, pointers: Array.from({ length: 1_000 }, (_, n) => `/x${n}`) },
    })
    assert.ok(Buffer.byteLength(eventLine(event)) < MAX_LINE_BYTES)
    assert.equal((event['changedFields'] as string[]).at(-1), '')
  })

  test('B87: nothing in a name ends the line, moves a terminal or adds a field', () => {
    const forged = 'x"}\r\n{"userId":"root"}\u001b[2J\u2028\u2029\u0085\u202e'
    const line = eventLine(configEvent('id', 0, { ...CHANGE, objectId: forged }))
    assert.equal(line.split(/[\r\n\u2028\u2029\u0085]/).length, 2)
    assert.doesNotMatch(line, /[\u001b\u202e]/)
    const read = JSON.parse(line) as JsonObject
    assert.deepEqual([read['objectId'], read['userId']], [forged, 'admin'])
  })
})

describe('changed fields', () => {
  const rows: readonly (readonly [string, JsonObject, JsonObject, readonly string[]])[] = [
    ['nothing', { a: 1, b: [1, { c: 2 }] }, { b: [1, { c: 2 }], a: 1 }, []],
    ['a value', { a: { b: 1 } }, { a: { b: 2 } }, ['/a/b']],
    ['a field more and one less', { a: 1 }, { b: 1 }, ['/a', '/b']],
    ['another shape', { a: [1] }, { a: { 0: 1 } }, ['/a']],
    ['elements', { a: [1, 2, 3] }, { a: [1, 4] }, ['/a/1', '/a/2']],
    ['names with slashes and tildes', { 'a/b~': 1 }, { 'a/b~': 2 }, ['/a~1b~0']],
    ['null and nothing', { a: null }, {}, ['/a']],
    ['a field called __proto__', JSON.parse('{"__proto__":1}') as JsonObject, {}, ['/__proto__']],
  ]
  for (const [what, before, after, expected] of rows) {
    test(`${what}: ${JSON.stringify(expected)}`, () => assert.deepEqual(changedFields(before, after), expected))
  }

  test('more than a hundred pointers are collapsed to the fields that hold them', () => {
    const many = (n: number) => ({ same: [1], list: Array.from({ length: 200 }, () => n), one: n })
    assert.deepEqual(changedFields(many(1), many(2)), ['/list', '/one'])
  })
})

test('ids are unique, and with the time put events in the order in which they happened', () => {
  const ids = new SerialIds()
  const made = Array.from({ length: 12 }, () => ids.next().text)
  assert.equal(new Set([...made, new SerialIds().next().text]).size, 13)
  const places = made.map((id) => chronologicalKey({ id, timestamp: '2026-01-01T00:00:00.000Z' }))
  assert.deepEqual([...places].sort(), places)
})

test('a topic is a name that is safe in file names', () => {
  for (const good of ['config', 'access', 'customTopic', 'a-b_c']) assert.equal(isTopicName(good), true)
  for (const bad of ['', '.', '../x', 'a/b', 'a.b', '-a', 'a\n', 'x'.repeat(65)]) assert.equal(isTopicName(bad), false)
})
