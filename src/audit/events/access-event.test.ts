import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CrestOperation, SerialIds } from '#http'
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
