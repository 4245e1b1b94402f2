import { logEvents } from '#logging'

export const EVENTS = logEvents('GW_OBJECT', {
  SESSION_NOT_ENDED: {
    message: 'the access manager did not end a session',
    meaning:
      'It forbids the logout (403): the session stays valid there until it expires, while the browser loses its cookie.',
    action: 'Check the privileges of users at the access manager.',
  },
  SESSION_VALID_AFTER_LOGOUT: {
    message:
      'the access manager accepts a session after its logout: client-based sessions stay valid until they expire; enable the list of logged-out sessions in its session service',
    meaning: 'A copied session cookie works until the session expires.',
    action: 'Enable the list of logged-out sessions in the session service of the access manager.',
  },
})
