import { logEvents } from '#logging'

export const EVENTS = logEvents('GW_STORE', {
  KEYSTORE_PROBLEM: {
    message: 'problem in a keystore',
    meaning:
      'The keystore is in use; the message names the problem: an alias without an entry, a certificate that is expired or not yet valid, duplicate or unsupported entries, another type than configured.',
    action: 'Correct the keystore or its mapping as the message says.',
  },
  KEYSTORE_UNREADABLE: {
    message: 'a keystore can not be read',
    meaning: 'The last good secrets stay in use until their lease ends, then lookups fail.',
    action: 'Check file, password and permissions of the keystore.',
  },
})
