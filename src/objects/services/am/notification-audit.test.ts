import assert from 'node:assert/strict'
import { test } from 'node:test'
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

test('each relevant notification is audited, without its session token', async () => {
  await using manager = await DevelopmentAccessManager.start()
  const { events, until, surroundings } = recording()
  await using _built = await buildAmService(manager.url, {}, surroundings)
  manager.publish('/agent/session', { tokenId: 'created', eventType: 'SESSION_CREATION' })
  manager.publish('/agent/session', { tokenId: 'AQIC-secret', eventType: 'LOGOUT' })
  await until(1)
  assert.equal(events.length, 1)
  const [{ topic, event } = { topic: '', event: {} }] = events
  assert.equal(topic, 'notifications')
  assert.deepEqual(event['notification'], {
    topic: '/agent/session',
    ignored: false,
    body: { eventType: 'LOGOUT' },
  })
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
    ignored: true,
    body: { eventType: 'SESSION_CREATION' },
  })
})
