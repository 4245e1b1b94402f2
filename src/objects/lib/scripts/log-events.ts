import { logEvents } from '#logging'

export const EVENTS = logEvents('GW_OBJECT', {
  SCRIPT_NOT_RELOADED: {
    message: 'the changed script can not be used; the last good one stays in use',
    meaning: 'The last good version of the script stays in use.',
    action: 'Correct the script; `gateway script check` lists its problems.',
  },
})
