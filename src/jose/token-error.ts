/** Why a token is not taken. The message names no content of the token, so that it can be shown to its bearer. */
export class TokenError extends Error {
  readonly code = 'GW_TOKEN_INVALID'

  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'TokenError'
  }
}

/** Why a key can not do what is asked of it: a mistake of the configuration, not of a token. */
export class KeyUnsuitableError extends Error {
  readonly code = 'GW_KEY_UNSUITABLE'

  constructor(message: string) {
    super(message)
    this.name = 'KeyUnsuitableError'
  }
}
