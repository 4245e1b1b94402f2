import { type ContextKey, contextKey } from '#http'

/** Why something that OAuth 2.0 was needed for has failed; for failure handlers. */
export interface OAuth2Failure {
  /** An error code of RFC 6749 section 5.2, or one of the gateway's own where no server gave one. */
  readonly error: string
  readonly description: string
  /** The fault behind it, where there is one. */
  readonly exception: { readonly message: string } | null
}

/** The context `oauth2Failure`. */
export const OAuth2FailureContext: ContextKey<OAuth2Failure> = contextKey<OAuth2Failure>('oauth2Failure')
