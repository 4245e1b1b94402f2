import { logEvents } from '#logging'

export const EVENTS = logEvents('GW_TLS', {
  KEYSTORE_UNREADABLE: {
    message: 'the keystore has changed and can not be read; what it held stays in use',
    meaning: 'The earlier content of the keystore stays in use.',
    action: 'Check file, password and permissions of the keystore.',
  },
})
