import type { Exchange } from '#http'
import type { JsonObject } from '#json'
import { kind } from '#schema'
import type { AmService } from './am-service.ts'

/** A validated access token. */
export interface AccessToken {
  /** As the client sent it. */
  readonly token: string
  /** Introspection response or claims, unchanged. */
  readonly info: JsonObject
  readonly scopes: ReadonlySet<string>
  /** Milliseconds since the epoch; null where unknown. */
  readonly expiresAt: number | null
}

/** Why a token is rejected; `description` may be shown to the client. */
export type TokenRejection =
  /** The token is invalid, or not valid for this request: 401. */
  | {
      readonly outcome: 'invalid'
      readonly description: string
      /** RFC 6750 and RFC 9449 codes; default `invalid_token`. */
      readonly error?: 'invalid_token' | 'invalid_dpop_proof' | 'use_dpop_nonce'
      /** Further header fields of the 401, such as `DPoP-Nonce`. */
      readonly headers?: Readonly<Record<string, string>>
    }
  /** The authorization server rejected the introspection request (4xx): 400. */
  | { readonly outcome: 'bad_request'; readonly description: string }
  /** Not validated: the server is down, slow or sent an invalid response, or revocation notifications are disconnected: 503. */
  | { readonly outcome: 'unavailable'; readonly description: string }

/** A token that is valid. */
export interface ValidToken {
  readonly outcome: 'valid'
  readonly accessToken: AccessToken
  /** Whether a cache had it; absent in resolvers without one. */
  readonly fromCache?: boolean
}

export type TokenResolution = ValidToken | TokenRejection

/** Resolves and validates access tokens. Cached resolutions are returned without a promise. */
export interface AccessTokenResolver {
  /** Accepted schemes of the Authorization header; default `Bearer`. */
  readonly schemes?: readonly ('Bearer' | 'DPoP')[]
  /** The access managers that validate the tokens, where some are configured: their dialects limit the TTL of cached resolutions. */
  readonly accessManagers?: readonly AmService[]
  /** The resolution depends on the token alone, so that it can be cached. */
  resolve(token: string, exchange: Exchange): TokenResolution | Promise<TokenResolution>
  /**
   * Checks of every request, also for a cached resolution: client certificate, proof of possession. Null where the request
   * may use the token.
   */
  admit?(accessToken: AccessToken, exchange: Exchange): TokenRejection | null | Promise<TokenRejection | null>
  /**
   * Whether `admit` verifies the key or certificate that a token is bound to (`cnf`, RFC 7800). Without it
   * none is verified.
   */
  verifiesBinding?(accessToken: AccessToken): boolean
  /** Calls `revoked` once when a notification revokes the token; returns the unsubscribe function. Absent without notifications. */
  watch?(accessToken: AccessToken, revoked: () => void): () => void
}

export const AccessTokenResolverKind = kind<AccessTokenResolver>('AccessTokenResolver')
