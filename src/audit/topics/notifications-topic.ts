import type { AuditTopic } from '#contracts'

/** Members of a notification that are written: no credential has one of these names, and a session token may have any other. */
export const NOTIFICATION_FIELDS = [
  'eventType',
  'realm',
  'policy',
  'policySet',
  'agentName',
  'universalId',
  'authGrantId',
  'auditTrackingId',
] as const

/** Notifications of an access manager, with AmService `notifications.audit`. */
export const NOTIFICATIONS_TOPIC: AuditTopic = {
  name: 'notifications',
  schema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Event of the topic notifications',
    description: 'A notification of an access manager: a changed policy, session or token.',
    type: 'object',
    required: ['_id', 'timestamp', 'eventName', 'transactionId', 'triggered', 'notification'],
    properties: {
      _id: { type: 'string' },
      timestamp: { type: 'string', format: 'date-time' },
      eventName: { type: 'string', enum: ['GATEWAY-NOTIFICATION'] },
      transactionId: { type: 'string' },
      triggered: {
        type: 'boolean',
        description:
          'Whether the notification is of a kind that invalidates what the gateway has cached; false for one that it ignores.',
      },
      notification: {
        type: 'object',
        properties: {
          topic: { type: 'string' },
          body: {
            type: 'object',
            description: 'The members of the notification that are no credentials.',
            properties: Object.fromEntries(NOTIFICATION_FIELDS.map((name) => [name, { type: 'string' }])),
          },
        },
      },
    },
  },
}
