import { logEvents } from '#logging'

export const EVENTS = logEvents('GW_OBJECT', {
  TOKEN_REQUEST_FAILED: {
    message: 'token request failed',
    meaning: 'Requests that need the token get 502 or 503.',
    action: 'Check the token endpoint and the client authentication.',
  },
})
