import type { AuditService, Notification, NotificationListener } from '#contracts'
import type { JsonObject } from '#json'
import type { Clock } from '#schema'
import { isIgnored } from '../../lib/session-tags.ts'

/** Publishes an audit event for each notification, without session tokens, which are credentials. */
export function auditListener(service: AuditService, withIgnored: boolean, clock: Clock): NotificationListener {
  return {
    notified: (notification) => {
      const ignored = isIgnored(notification)
      if (ignored && !withIgnored) return
      service.publish('notifications', {
        timestamp: new Date(clock.now()).toISOString(),
        eventName: 'GATEWAY-NOTIFICATION',
        notification: { topic: notification.topic, ignored, body: withoutToken(notification) },
      })
    },
  }
}

function withoutToken({ body }: Notification): JsonObject {
  const { tokenId: _credential, ...rest } = body
  return rest
}
