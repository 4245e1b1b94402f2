import { type ContextKey, contextKey } from '#http'
import type { JsonObject } from '#json'

/** User information of AuthorizationCodeOAuth2ClientFilter, under the names of the protocol. */
export interface OAuth2Info {
  readonly access_token: string | null
  readonly scopes: readonly string[]
  readonly id_token: string | null
  readonly id_token_claims: JsonObject | null
  /** Remaining lifetime of the access token in seconds; null where unknown. */
  readonly expires_in: number | null
  /** Fetched on first read by an expression; null where absent. */
  readonly user_info: JsonObject | null
  readonly client_registration: string
  readonly client_endpoint: string
}

/** The context `oauth2Info`. */
export const OAuth2InfoContext: ContextKey<OAuth2Info> = contextKey<OAuth2Info>('oauth2Info')
