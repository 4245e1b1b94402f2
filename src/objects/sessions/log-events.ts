import { logEvents } from '#logging'

export const EVENTS = logEvents('GW_SESSIONS', {
  REVOCATION_UNREADABLE: {
    message: 'revocation in Redis unreadable, ignored: another program has written to its key',
    meaning: 'One revocation is ignored: a session that was logged out may stay valid until it expires.',
    action: 'Check which other program writes to this Redis.',
  },
  STORE_UNAVAILABLE: {
    message: 'session store unavailable',
    meaning: 'Requests that need a session get 503.',
    action: 'Look at the event-loop delay of the control thread.',
  },
  UNREADABLE: {
    message:
      'a session or revocation in Redis can not be read: another program has written to its key, so it is ignored',
    meaning: 'A session counts as absent: its user has to log in again. A revocation has no effect.',
    action: 'Check which other program writes to this Redis.',
  },
})
