import { logEvents } from '#logging'

export const EVENTS = logEvents('GW_SERVICE', {
  TASK_FAILED: {
    message: 'a background task failed',
    meaning: 'One run of a background task failed; it runs again.',
    action: 'See the error of the object that the logger names.',
  },
})
