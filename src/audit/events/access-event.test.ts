import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CrestOperation, SerialIds } from '#http'
import type { JsonObject } from '#json'
import { PointerTree } from '../policies/pointer-tree.ts'
import { ACCESS_SAFELIST, ACCESS_TOPIC } from '../topics/access-topic.ts'
import { eventCheck } from '../topics/topic-schemas.ts'
import { ACCESS_NAMES, type AccessEventData, accessEvent } from './access-event.ts'
import { AccessFields } from './access-fields.ts'

const DATA: AccessEventData = {
  id: new SerialIds().next(),
  startedAt: 0,
  transactionId: '1',
  userId: null,
  trackingIds: null,
  client: { remoteAddress: '::1', remotePort: 1, localAddress: '::1', localPort: 2, secure: false },
  request: null,
  responseHeaders: null,
  response: null,
  exchangeId: null,
  routeId: null,
  routeName: null,
  decision: null,
  operation: null,
  extension: null,
}

test('the event of a Common REST request has its operation', () => {
  const eventOf = (operation: CrestOperation | null) =>
    accessEvent({ ...DATA, operation }, ACCESS_NAMES, new AccessFields(PointerTree.of(ACCESS_SAFELIST)))
  assert.deepEqual(eventOf({ operation: 'READ' })['request'], { protocol: 'CREST', operation: 'READ' })
  const action = eventOf({ operation: 'ACTION', action: 'rollback' })
  assert.deepEqual(action['request'], { protocol: 'CREST', operation: 'ACTION', detail: { action: 'rollback' } })
  assert.equal(eventCheck(ACCESS_TOPIC)(action), null)
  assert.equal(Object.hasOwn(eventOf(null), 'request'), false)
})

test('custom entries of any length leave an event of a bounded length: texts are truncated, then entries are left out', () => {
  const eventOf = (extension: JsonObject) => {
    const event = accessEvent({ ...DATA, extension }, ACCESS_NAMES, new AccessFields(PointerTree.of(ACCESS_SAFELIST)))
    assert.equal(eventCheck(ACCESS_TOPIC)(event), null)
    return event['gateway'] as JsonObject
  }
  const long = 'x'.repeat(60_000)
  assert.deepEqual(eventOf({ long })['ext'], { long })
  assert.equal(eventOf({ long })['extTruncated'], undefined)

  // A control character is six characters of JSON.
  const { ext, extTruncated } = eventOf({
    body: '\u0001'.repeat(1_000_000),
    list: Array(100_000).fill(1),
    last: 'kept',
  })
  assert.deepEqual(ext, { body: '\u0001'.repeat(1_024), last: 'kept' })
  assert.equal(extTruncated, true)

  const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`key ${at}`, at]))
  assert.ok(JSON.stringify(eventOf(many)).length < 100_000)
})
