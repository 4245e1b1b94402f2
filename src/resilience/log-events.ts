import { logEvents } from '#logging'

export const EVENTS = logEvents('GW_RESILIENCE', {
  CIRCUIT_OPENED: {
    message: 'the circuit breaker opened: no request is sent until it closes',
    meaning: 'Requests are answered at once with 503 until the upstream recovers.',
    action: 'Check the upstream server.',
  },
  RETRIES_FAILED: {
    message: 'all retries failed',
    meaning: 'The client got the last failure.',
    action: 'Check the upstream server.',
  },
})
