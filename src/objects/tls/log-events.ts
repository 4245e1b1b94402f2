import { logEvents } from '#logging'

export const EVENTS = logEvents('GW_TLS', {
  KEYSTORE_UNREADABLE: {
    message: 'the changed keystore can not be read; its last good content stays in use',
    meaning: 'The last good content of the keystore stays in use.',
    action: 'Check file, password and permissions of the keystore.',
  },
})
