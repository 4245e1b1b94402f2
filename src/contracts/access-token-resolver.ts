import type { Exchange } from '#http'
import type { JsonObject } from '#json'
import { kind } from '#schema'
import type { AmService } from './am-service.ts'

/** What is known of an access token that was found good. */
export interface AccessToken {
  /** The token itself, as the client sent it. */
  readonly token: string
  /** What the authorization server says of it, field by field and unchanged. */
  readonly info: JsonObject
  readonly scopes: ReadonlySet<string>
  /** Milliseconds since the epoch; null where unknown. */
  readonly expiresAt: number | null
}

/** Why a token does not let its bearer through; `description` may be shown to the client. */
export type TokenRefusal =
  /** The token is not good, or not for this request: 401. */
  | {
      readonly outcome: 'invalid'
      readonly description: string
      /** RFC 6750 and RFC 9449 codes; `invalid_token` where it is left out. */
      readonly error?: 'invalid_token' | 'invalid_dpop_proof' | 'use_dpop_nonce'
      /** Further header fields of the 401, such as `DPoP-Nonce`. */
      readonly headers?: Readonly<Record<string, string>>
    }
  /** The authorization server did not accept the question (its 4xx): 400. */
  | { readonly outcome: 'bad_request'; readonly description: string }
  /** Unknown: the server is down, slow or answers invalid content, or revocation notifications are disconnected: 503. */
  | { readonly outcome: 'unavailable'; readonly description: string }

/** What became of the question whether a token is good. */
export type TokenResolution = { readonly outcome: 'valid'; readonly accessToken: AccessToken } | TokenRefusal

/** Finds out what a token stands for. Answers are given at once where they are known, so that a kept one costs no wait. */
export interface AccessTokenResolver {
  /** The schemes of the Authorization header under which it takes tokens; `Bearer` alone where it is left out. */
  readonly schemes?: readonly ('Bearer' | 'DPoP')[]
  /** The access manager that it asks, where it is configured with one: its kind bounds how long answers are kept. */
  readonly accessManager?: AmService
  /** Says what a token is worth. The answer depends on nothing but the token, so that it may be kept for a while. */
  resolve(token: string, exchange: Exchange): TokenResolution | Promise<TokenResolution>
  /**
   * What has to hold for each single request, a kept answer or not: the client's certificate, the proof of possession.
   * Null where the request may use the token.
   */
  admit?(accessToken: AccessToken, exchange: Exchange): TokenRefusal | null | Promise<TokenRefusal | null>
  /**
   * Whether `admit` verifies the key or certificate that a token is bound to (`cnf`, RFC 7800). Resolvers without it
   * verify none.
   */
  verifiesBinding?(accessToken: AccessToken): boolean
  /** Calls back once when a notification revokes a token; returns the function that stops it. Absent without notifications. */
  watch?(accessToken: AccessToken, revoked: () => void): () => void
}

/** Objects that find out what an access token stands for. */
export const AccessTokenResolverKind = kind<AccessTokenResolver>('AccessTokenResolver')
