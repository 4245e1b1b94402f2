import { type ContextKey, contextKey } from '#http'

/** Why an OAuth 2.0 step failed; for failure handlers. */
export interface OAuth2Failure {
  /** An error code of RFC 6749 section 5.2, or one of the gateway where the server sent none. */
  readonly error: string
  readonly description: string
  /** The underlying error, if any. */
  readonly exception: { readonly message: string } | null
}

/** The context `oauth2Failure`. */
export const OAuth2FailureContext: ContextKey<OAuth2Failure> = contextKey<OAuth2Failure>('oauth2Failure')
