import { type ContextKey, contextKey } from '#http'
import type { JsonObject } from '#json'

/** The token that OAuth2TokenExchangeFilter obtained for the token of a request. */
export interface OAuth2TokenExchange {
  readonly issuedToken: string
  /** The URN of its type (RFC 8693 section 3). */
  readonly issuedTokenType: string
  readonly scopes: readonly string[]
  /** The token response of the authorization server. */
  readonly rawInfo: JsonObject
}

/** The context `oauth2TokenExchange`. */
export const OAuth2TokenExchangeContext: ContextKey<OAuth2TokenExchange> =
  contextKey<OAuth2TokenExchange>('oauth2TokenExchange')
