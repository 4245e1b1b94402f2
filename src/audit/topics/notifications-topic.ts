import type { AuditTopic } from '#contracts'

/** Notifications of an access manager, with AmService `notifications.audit`. */
export const NOTIFICATIONS_TOPIC: AuditTopic = {
  name: 'notifications',
  schema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Event of the topic notifications',
    description: 'A notification of an access manager: a changed policy, session or token.',
    type: 'object',
    required: ['_id', 'timestamp', 'eventName', 'transactionId', 'notification'],
    properties: {
      _id: { type: 'string' },
      timestamp: { type: 'string', format: 'date-time' },
      eventName: { type: 'string', enum: ['GATEWAY-NOTIFICATION'] },
      transactionId: { type: 'string' },
      notification: {
        type: 'object',
        properties: {
          topic: { type: 'string' },
          ignored: { type: 'boolean', description: 'Whether the gateway has no use for it.' },
          body: { type: 'object', description: 'Without session tokens.' },
        },
      },
    },
  },
}
