import { logEvents } from '#logging'

export const EVENTS = logEvents('GW_SECRETS', {
  FORMAT_WARNING: {
    message: 'a secret is not in the form of its format',
    meaning: 'The secret is used, and its form is not what its format expects.',
    action: 'Correct the file or the format that the message names.',
  },
  KEYS_NOT_FETCHED: {
    message: 'keys can not be fetched',
    meaning: 'The last good keys stay in use for a while, and then tokens get 503.',
    action: 'Check that the JWK Set can be reached.',
  },
  NO_USABLE_KEY: {
    message: 'a JWK Set holds no key that can be used',
    meaning: 'Tokens can not be verified with this JWK Set.',
    action: 'Check the URL and the keys of the issuer.',
  },
  SECRET_UNREADABLE: {
    message: 'a secret can not be read',
    meaning: 'The last good secret stays in use for a while, and then lookups fail.',
    action: 'Check the file or variable of the secret.',
  },
  TOO_MANY_UNKNOWN_KEYS: {
    message:
      'too many unknown key names in tokens: tokens with a key name that is not in the JWK Set get 503 until the next lookup',
    meaning: 'Tokens with a key name that is not in the JWK Set get 503 until the next lookup.',
    action: 'Nothing, unless the issuer has changed its keys more often than the lookup.',
  },
})
