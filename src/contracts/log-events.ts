import { logEvents } from '#logging'

export const EVENTS = logEvents('GW_CONDITION', {
  FAILED: {
    message: 'condition failed: it counts as false',
    meaning: 'The condition counts as false: a route is not chosen, a filter not applied.',
    action: 'Correct the expression; `gateway eval` evaluates it alone.',
  },
})
