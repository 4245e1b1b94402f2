import { type ContextKey, contextKey } from '#http'
import type { JsonObject } from '#json'

/** What AuthorizationCodeOAuth2ClientFilter knows of the user of a request, under the names of the protocol. */
export interface OAuth2Info {
  readonly access_token: string | null
  readonly scopes: readonly string[]
  readonly id_token: string | null
  readonly id_token_claims: JsonObject | null
  /** Seconds the access token still lives; null where the server did not say. */
  readonly expires_in: number | null
  /** Fetched on first read by an expression; null where absent. */
  readonly user_info: JsonObject | null
  readonly client_registration: string
  readonly client_endpoint: string
}

/** The context `oauth2Info`. */
export const OAuth2InfoContext: ContextKey<OAuth2Info> = contextKey<OAuth2Info>('oauth2Info')
