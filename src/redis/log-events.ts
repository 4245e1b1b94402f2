import { logEvents } from '#logging'

export const EVENTS = logEvents('GW_REDIS', {
  CREDENTIALS_UNREADABLE: {
    message: 'new credentials for Redis can not be read: the connection keeps the old ones',
    meaning: 'Connections use the earlier password or keys, until Redis rejects them.',
    action: 'Check the secrets of the Redis service.',
  },
  UNAVAILABLE: {
    message: 'Redis unavailable: reconnecting',
    meaning: 'Sessions and throttling counts in Redis are unavailable until it responds.',
    action: 'Check that Redis runs, and user, password and certificates of its service.',
  },
})
