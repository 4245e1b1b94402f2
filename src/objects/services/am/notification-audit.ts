import { NOTIFICATION_FIELDS } from '#audit'
import type { AuditService, Notification, NotificationListener } from '#contracts'
import type { JsonObject } from '#json'
import type { Clock } from '#schema'
import { isIgnored } from '../../lib/am/session-tags.ts'

/** Publishes an audit event for each notification, with the members that are no credentials. */
export function auditListener(service: AuditService, withIgnored: boolean, clock: Clock): NotificationListener {
  return {
    notified: (notification) => {
      const triggered = !isIgnored(notification)
      if (!triggered && !withIgnored) return
      service.publish('notifications', {
        timestamp: new Date(clock.now()).toISOString(),
        eventName: 'GATEWAY-NOTIFICATION',
        triggered,
        notification: { topic: notification.topic, body: safeBody(notification) },
      })
    },
  }
}

function safeBody({ body }: Notification): JsonObject {
  const members = NOTIFICATION_FIELDS.map((name) => [name, body[name]] as const)
  return Object.fromEntries(members.filter(([, value]) => typeof value === 'string')) as JsonObject
}
