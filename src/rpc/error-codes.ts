/** Error codes of this folder: docs/reference/errors.md is generated from it. */
export const ERROR_CODES = {
  GW_CALL_TIMEOUT: {
    meaning: 'A thread of the gateway did not answer another one in time; the call may still have been processed.',
    action:
      'Check `gw_event_loop_delay_max_seconds`, and scripts and regular expressions for blocking code. If it persists, restart the gateway and report it with the log.',
  },
  GW_PEER_BUSY: {
    meaning: 'Too many calls between two threads wait for an answer; this one was not sent.',
    action: 'The control thread is overloaded: check its event-loop delay, and the rate of requests that use sessions.',
  },
  GW_PEER_ENDED: {
    meaning: 'A thread ended while a call to it was in flight.',
    action: 'See the log entry before it for the reason; units are restarted by the gateway.',
  },
}
