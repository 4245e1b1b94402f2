import { logEvents } from '#logging'

export const EVENTS = logEvents('GW_RESILIENCE', {
  CIRCUIT_OPENED: {
    message: 'the circuit breaker opened: no request is sent until it closes',
    meaning: 'Requests get the response of `openHandler`, or 500 without one, until `openDuration` has passed.',
    action: 'Check the upstream server.',
  },
  RETRIES_FAILED: {
    message: 'all retries failed',
    meaning: 'The client got the last failure.',
    action: 'Check the upstream server.',
  },
})
