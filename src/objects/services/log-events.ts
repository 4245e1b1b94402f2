import { logEvents } from '#logging'

export const EVENTS = logEvents('GW_SERVICE', {
  SERVER_EJECTED: {
    message: 'a server was ejected: it gets no requests for a time',
    meaning: 'Its requests failed as often in a row as `outlierDetection` says. Other servers get its requests.',
    action:
      'Check the server that `upstream` names. `GET` on the endpoint of the service shows the states of all servers.',
  },
  SHARE_NOT_MATCHED: {
    message: 'pattern of a share takes too many steps: the share matches no path',
    meaning: 'Requests for that share get 404.',
    action: 'Have the resource owner delete the share and create one with a simpler pattern.',
  },
  SHARE_NOT_REGISTERED: {
    message: 'authorization server for UMA did not register a resource: the share is not created',
    meaning: 'The caller of the management API gets 502.',
    action: 'See `error`: check the server, and the protection API token of the caller (scope `uma_protection`).',
  },
  TASK_FAILED: {
    message: 'a background task failed',
    meaning:
      'One run of a background task failed. A periodic task runs again after its interval, a single one does not.',
    action: 'See the error of the object that the logger names.',
  },
})
