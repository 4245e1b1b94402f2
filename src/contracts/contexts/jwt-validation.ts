import { type ContextKey, contextKey } from '#http'
import type { JsonObject } from '#json'
import type { ClaimsSet } from './claims-set.ts'

/** A valid token. */
export interface JwtValidation {
  /** The token, as it was sent. */
  readonly value: string
  readonly claims: ClaimsSet
  /** The claims as a map. */
  readonly info: JsonObject
  /** The parts of the token. */
  readonly jwt: { readonly header: JsonObject; readonly claimsSet: ClaimsSet }
}

/** The context `jwtValidation`. */
export const JwtValidationContext: ContextKey<JwtValidation> = contextKey<JwtValidation>('jwtValidation')

/** A token that failed validation; for failure handlers. */
export interface JwtValidationError {
  /** The token, as it was sent; null where the request has none. */
  readonly jwt: string | null
  readonly violations: readonly { readonly description: string }[]
}

/** The context `jwtValidationError`. */
export const JwtValidationErrorContext: ContextKey<JwtValidationError> =
  contextKey<JwtValidationError>('jwtValidationError')
