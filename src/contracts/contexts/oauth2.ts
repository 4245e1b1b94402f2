import { type ContextKey, contextKey } from '#http'
import type { AccessToken } from '../access-token-resolver.ts'

/** What OAuth2ResourceServerFilter knows of the token of a request. */
export interface OAuth2 {
  readonly accessToken: AccessToken
}

/** The context `oauth2`. */
export const OAuth2Context: ContextKey<OAuth2> = contextKey<OAuth2>('oauth2')
