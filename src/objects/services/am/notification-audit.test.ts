import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Validator } from '@cfworker/json-schema'
import { BUILT_IN_TOPICS } from '#audit'
import { AuditServiceKind } from '#contracts'
import { DevelopmentAccessManager } from '#dev'
import type { JsonObject } from '#json'
import { defineType } from '#schema'
import { buildAmService } from '#test/am-service'
import { waitUntil } from '#test/waiting'

/** An audit service that records events, and waits for a number of them. */
function recording() {
  const events: { topic: string; event: JsonObject }[] = []
  const type = defineType({
    name: 'RecordingAuditService',
    kind: AuditServiceKind,
    summary: 'Keeps events.',
    config: {},
    create: () => ({
      publish: (topic: string, event: JsonObject) => {
        events.push({ topic, event })
      },
    }),
  })
  const until = async (count: number) => {
    await waitUntil(`${count} events were published`, () => events.length >= count)
  }
  return { events, until, surroundings: { types: [type], heap: [{ name: 'AuditService', type: type.name }] } }
}

test('each relevant notification is audited, without session tokens, whatever their names are', async () => {
  await using manager = await DevelopmentAccessManager.start()
  const { events, until, surroundings } = recording()
  await using _built = await buildAmService(manager.url, {}, surroundings)
  manager.publish('/agent/session', { tokenId: 'created', eventType: 'SESSION_CREATION' })
  const universalId = 'id=ada,ou=user'
  manager.publish('/agent/session', { tokenId: 'AQIC-secret', eventType: 'LOGOUT' })
  const other = { ssoToken: 'AQIC-secret', realm: ['AQIC-secret'], policy: 'p', universalId, eventType: 'DESTROY' }
  manager.publish('/agent/session.v2', other)
  await until(2)
  assert.equal(events.length, 2)
  assert.ok(!JSON.stringify(events).includes('secret'))
  assert.deepEqual(events[1]?.event['notification'], {
    topic: '/agent/session.v2',
    body: { eventType: 'DESTROY', policy: 'p', universalId },
  })
  const [{ topic, event } = { topic: '', event: {} }] = events
  assert.equal(topic, 'notifications')
  assert.deepEqual(event['notification'], {
    topic: '/agent/session',
    body: { eventType: 'LOGOUT' },
  })
  assert.equal(event['triggered'], true)
  const validator = new Validator(BUILT_IN_TOPICS.find(({ name }) => name === 'notifications')!.schema, '2020-12')
  for (const { event } of events) {
    assert.deepEqual(validator.validate({ _id: '1', transactionId: '1', ...event }).errors, [])
  }
  assert.match(String(event['timestamp']), /^\d{4}-\d\d-\d\dT/)
})

test('auditIgnoredNotifications: ignored notifications are audited too', async () => {
  await using manager = await DevelopmentAccessManager.start()
  const { events, until, surroundings } = recording()
  const notifications = { audit: { auditIgnoredNotifications: true } }
  await using _built = await buildAmService(manager.url, { notifications }, surroundings)
  manager.publish('/agent/session', { tokenId: 'created', eventType: 'SESSION_CREATION' })
  await until(1)
  assert.deepEqual(events[0]?.event['notification'], {
    topic: '/agent/session',
    body: { eventType: 'SESSION_CREATION' },
  })
  assert.equal(events[0]?.event['triggered'], false)
})
