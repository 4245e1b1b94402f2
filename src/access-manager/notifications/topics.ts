/** The topic of revoked tokens and grants; not documented publicly, so it can be configured. */
export const REVOCATION_TOPIC = '/oauth2/grant/revoked'

/** What the gateway wants to hear of, unless the configuration says otherwise. */
export const DEFAULT_TOPICS: readonly string[] = [
  '/agent/policy',
  '/agent/session',
  '/agent/session.v2',
  REVOCATION_TOPIC,
]

/** The subprotocol of the endpoint. */
export const NOTIFICATION_PROTOCOL = 'v1.notifications.forgerock.org'
