/** A token that is rejected. The message names no content of the token, so that it can be shown to its bearer. */
export class TokenError extends Error {
  readonly code = 'GW_TOKEN_INVALID'

  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'TokenError'
  }
}

/** A key that is unsuitable for the algorithm: an error of the configuration, not of a token. */
export class KeyUnsuitableError extends Error {
  readonly code = 'GW_KEY_UNSUITABLE'

  constructor(message: string) {
    super(message)
    this.name = 'KeyUnsuitableError'
  }
}
