import { logEvents } from '#logging'

export const EVENTS = logEvents('GW_AM', {
  AGENT_LOGIN_FAILED: {
    message: 'agent login failed',
    meaning:
      'The gateway has no session at the access manager: requests that need a decision, a session or a token of it get 503.',
    action:
      'Check `agent.username`, its password, the realm and the log of the access manager; the login is tried again.',
  },
  NOTIFICATIONS_DEGRADED: {
    message: 'initialConnectionAttempts are used up: degraded until it connects',
    meaning: 'Notifications did not connect at the start; the gateway serves without them and retries.',
    action: 'Check that the access manager accepts WebSocket connections at /notifications.',
  },
  NOTIFICATIONS_DISCONNECTED: {
    message: 'notifications disconnected: reconnecting',
    meaning:
      'Notifications may be missed: each cache clears or keeps its entries as its `onNotificationDisconnection` says.',
    action: 'Nothing, unless it is repeated: then check idle timeouts between gateway and access manager.',
  },
  NOTIFICATIONS_NOT_REPLACED: {
    message: 'connection for notifications not replaced: the old one stays in use',
    meaning: 'Notifications arrive over the old connection until the next attempt.',
    action: 'Nothing, unless it is repeated: then check the network to the access manager.',
  },
  NOTIFICATIONS_UNREACHABLE: {
    message: 'notifications not connected: retrying after the pause',
    meaning: 'Until it connects, cached values expire after a short time.',
    action: 'Check that the access manager accepts WebSocket connections at /notifications, also through proxies.',
  },
  NOTIFICATIONS_UNSUPPORTED: {
    message:
      'the access manager has no notifications: cached values expire after a short time; set notifications.enabled to false if this is intended',
    meaning: 'Cached values expire after a short time, which costs calls to the access manager.',
    action: 'Set `notifications.enabled` to false, or enable notifications in the server.',
  },
  NOTIFICATION_LISTENER_FAILED: {
    message: 'notification listener failed',
    meaning: 'A cache did not process a notification; its entries may be stale until they expire.',
    action: 'Report it with the log entry: it is a defect of the gateway.',
  },
  NOTIFICATION_UNREADABLE: {
    message: 'unparseable notification: caches act as after a lost connection',
    meaning:
      'Each cache acts as after a lost connection, since the notification may have been about any of its entries.',
    action: 'Check that nothing between gateway and access manager changes WebSocket messages.',
  },
  SESSION_PROPERTIES_REFUSED: {
    message:
      'session properties refused by the access manager: those of sessionProperties are missing; add them to the session properties that it lets clients read',
    meaning: 'Sessions have no properties of `sessionProperties`.',
    action: 'Add them to the session properties that the access manager lets clients read.',
  },
  TOPIC_UNSUPPORTED: {
    message: 'the access manager does not offer this notification topic',
    meaning: 'Changes of this topic take effect only when cached values expire.',
    action: 'Check the version and the settings of the access manager.',
  },
  VERSION_DIFFERS: {
    message: 'version of the access manager differs from the configuration',
    meaning: 'The version that the server reports is used instead of the configured one.',
    action: 'Set `version` of the AmService to that of the server.',
  },
  VERSION_UNKNOWN: {
    message: 'access manager version unknown: another one is assumed',
    meaning: 'The server did not report its version; that of the configuration is assumed.',
    action: 'Set `version` of the AmService, and check that the agent may read the server information.',
  },
})
