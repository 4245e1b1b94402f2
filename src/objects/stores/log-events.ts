import { logEvents } from '#logging'

export const EVENTS = logEvents('GW_STORE', {
  KEYSTORE_PROBLEM: {
    message: 'a keystore has entries that can not be used',
    meaning: 'Some entries of the keystore are not used.',
    action: 'Check the entries that the message names.',
  },
  KEYSTORE_UNREADABLE: {
    message: 'a keystore can not be read',
    meaning: 'The last good secrets stay in use for a while, and then lookups fail.',
    action: 'Check file, password and permissions of the keystore.',
  },
})
