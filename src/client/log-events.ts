import { logEvents } from '#logging'

export const EVENTS = logEvents('GW_CLIENT', {
  UPSTREAM_FAILED: {
    message: 'the upstream request failed',
    meaning: 'The client got the status of the error (502, 503, 504).',
    action: 'See `error.code` in the list of error codes.',
  },
})
