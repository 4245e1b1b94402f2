/** Topic of revoked tokens and grants; undocumented, and configurable for that reason. */
const REVOCATION_TOPIC = '/oauth2/grant/revoked'

/** Topics that the gateway subscribes to by default. */
export const DEFAULT_TOPICS: readonly string[] = [
  '/agent/policy',
  '/agent/session',
  '/agent/session.v2',
  REVOCATION_TOPIC,
]

/** WebSocket subprotocol of the endpoint. */
export const NOTIFICATION_PROTOCOL = 'v1.notifications.forgerock.org'
