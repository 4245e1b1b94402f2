import { logEvents } from '#logging'

export const EVENTS = logEvents('GW_CLIENT', {
  UPSTREAM_FAILED: {
    message: 'the upstream request failed',
    meaning: 'The client got the status of the error (502, 503, 504).',
    action: 'See `error.code` in the list of error codes.',
  },
  COOKIE_REMOVED: {
    message: 'an application sets a cookie of the gateway: removed from its response',
    meaning:
      'The cookie has the name of a session or a login of the gateway, which never sends it to applications. It could log users in as another user, or hide their sessions.',
    action: 'Rename the cookie of the application, or that of the gateway (`cookie.name` of its session manager).',
  },
})
