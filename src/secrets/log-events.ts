import { logEvents } from '#logging'

export const EVENTS = logEvents('GW_SECRETS', {
  FORMAT_WARNING: {
    message: 'secret does not match its format',
    meaning: 'The secret is used although its content is not as the format expects.',
    action: 'Correct the file or the format that the message names.',
  },
  KEYS_NOT_FETCHED: {
    message: 'keys can not be fetched',
    meaning: 'The last good keys are used until their lease ends; then requests with tokens get 503.',
    action: 'Check that the JWK Set can be reached.',
  },
  NO_USABLE_KEY: {
    message: 'JWK Set without usable key',
    meaning: 'Tokens can not be verified with this JWK Set.',
    action: 'Check the URL and the keys of the issuer.',
  },
  SECRET_UNREADABLE: {
    message: 'secret can not be read',
    meaning: 'The last good secret is used until its lease ends; then lookups fail.',
    action: 'Check the file or variable of the secret.',
  },
  TOO_MANY_UNKNOWN_KEYS: {
    message:
      'too many unknown key names in tokens: tokens with a key name that is not in the JWK Set get 503 until the next lookup',
    meaning: 'Tokens with a key name that is not in the JWK Set get 503 until the next lookup.',
    action: 'Nothing, unless the issuer has changed its keys more often than the lookup.',
  },
})
