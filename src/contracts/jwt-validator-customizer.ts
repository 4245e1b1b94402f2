import type { Exchange } from '#http'
import type { JsonObject } from '#json'
import { kind } from '#schema'

/** Further constraints on the claims of a token. It can reject a valid token, never accept an invalid one. */
export interface JwtValidatorCustomizer {
  /** Problems of the claims; empty for valid ones. The exchange has the context `jwtValidation`. */
  violations(claims: JsonObject, exchange: Exchange): Promise<readonly string[]>
}

export const JwtValidatorCustomizerKind = kind<JwtValidatorCustomizer>('JwtValidatorCustomizer')
