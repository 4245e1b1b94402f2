import { logEvents } from '#logging'

export const EVENTS = logEvents('GW_PROCESS', {
  DRAIN_TIMED_OUT: {
    message: 'the drain after an uncaught error did not end in time: the gateway exits now',
    meaning: 'Requests in flight are cut.',
    action: 'Nothing, where clients were slow; see the uncaught error before it.',
  },
  RELOAD_FAILED: {
    message: 'reloading failed; everything stays as it was',
    meaning: 'The configuration stays as it was.',
    action: 'See the error; the reload can be repeated.',
  },
  SECOND_SIGNAL: {
    message: 'second stop signal: ending now',
    meaning: 'Requests in flight are cut.',
    action: 'Nothing.',
  },
  SECOND_UNCAUGHT_ERROR: {
    message: 'another uncaught error in the control thread: the gateway exits now',
    meaning: 'The gateway exits at once; requests in flight are cut.',
    action: 'Report it with the log entry: it is a fault of the gateway.',
  },
  START_FAILED: {
    message: 'the gateway could not start',
    meaning: 'Nothing is served.',
    action: 'Correct what the error says; `gateway validate` checks the configuration alone.',
  },
  STOP_FAILED: {
    message: 'stopping failed',
    meaning: 'The gateway exits with a failure.',
    action: 'Report it with the log entry: it is a fault of the gateway.',
  },
  UNCAUGHT_ERROR: {
    message: 'uncaught error in the control thread: the gateway drains its units and exits',
    meaning: 'The gateway drains and exits with a failure; a supervisor should start it again.',
    action: 'Report it with the log entry: it is a fault of the gateway.',
  },
})
