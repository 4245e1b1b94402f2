import { type ContextKey, contextKey } from '#http'
import type { AccessToken } from '../access-token-resolver.ts'

/** The access token of a request, by OAuth2ResourceServerFilter. */
export interface OAuth2 {
  readonly accessToken: AccessToken
}

/** The context `oauth2`. */
export const OAuth2Context: ContextKey<OAuth2> = contextKey<OAuth2>('oauth2')
