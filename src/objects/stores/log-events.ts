import { logEvents } from '#logging'

export const EVENTS = logEvents('GW_STORE', {
  HSM_UNREADABLE: {
    message: 'the keys of a security module can not be read',
    meaning: 'The last good public keys are used until their lease ends, then lookups fail.',
    action: 'See the error: the module, its token, the PIN or a label has changed.',
  },
  HSM_UNUSABLE: {
    message:
      'a security module can not be used; requests that need its keys fail, further attempts follow by themselves',
    meaning:
      'The PKCS #11 module did not respond, ended or refused the login. Signing and decrypting fail until it works again.',
    action: 'See the error; check the module with `pkcs11-tool --module LIBRARY --list-slots`.',
  },
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
