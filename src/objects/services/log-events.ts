import { logEvents } from '#logging'

export const EVENTS = logEvents('GW_SERVICE', {
  TASK_FAILED: {
    message: 'a background task failed',
    meaning:
      'One run of a background task failed. A periodic task runs again after its interval, a single one does not.',
    action: 'See the error of the object that the logger names.',
  },
})
