import { logEvents } from '#logging'

export const EVENTS = logEvents('GW_OBJECT', {
  PROXY_PASSWORD_UNREADABLE: {
    message: 'the password of the proxy can not be read; the last good one stays in use',
    meaning: 'The last good password stays in use.',
    action: 'Check the secret of the proxy.',
  },
})
