import { logEvents } from '#logging'

export const EVENTS = logEvents('GW_REDIS', {
  CREDENTIALS_UNREADABLE: {
    message: 'the changed password or keys for Redis can not be read; the connection stays',
    meaning: 'The connection with the earlier credentials stays in use.',
    action: 'Check the secrets of the Redis service.',
  },
  UNAVAILABLE: {
    message: 'Redis can not be used; it is tried again until it can',
    meaning: 'Sessions and counts that live there are not available until it answers.',
    action: 'Check that Redis runs, and user, password and certificates of its service.',
  },
})
