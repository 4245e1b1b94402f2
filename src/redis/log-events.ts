import { logEvents } from '#logging'

export const EVENTS = logEvents('GW_REDIS', {
  COMMAND_REJECTED: {
    message: 'Redis rejects a command',
    meaning:
      'Redis responds with an error. Requests that need its result get 503, or are throttled by the counts of this gateway.',
    action:
      'By the code that `problem` begins with: raise `maxmemory` of Redis (OOM), free its disk (MISCONF), grant the commands to its user (NOPERM), or, where another program has keys that begin with `keyPrefix`, set another prefix or remove those keys (WRONGTYPE).',
  },
  CREDENTIALS_NOT_USED: {
    message: 'new credentials for Redis can not be used: the connection with the old ones goes on while it lasts',
    meaning:
      'Requests are not affected until that connection ends; then sessions and throttling counts in Redis are unavailable.',
    action:
      'Correct the password, the keys or the trust, or put them into effect at Redis: `problem` has what it responds. They are tried on.',
  },
  CREDENTIALS_UNREADABLE: {
    message: 'new credentials for Redis can not be read: the connection keeps the old ones',
    meaning: 'Connections use the earlier password or keys, until Redis rejects them.',
    action: 'Check the secrets of the Redis service.',
  },
  RECONNECT_FAILED: {
    message: 'connecting to Redis failed',
    meaning: 'Redis is still unavailable, for another reason than before; each reason is logged once.',
    action: 'Check that Redis runs, and user, password and certificates of its service.',
  },
  UNAVAILABLE: {
    message: 'Redis unavailable: reconnecting',
    meaning: 'Sessions and throttling counts in Redis are unavailable until it responds.',
    action: 'Check that Redis runs, and user, password and certificates of its service.',
  },
})
