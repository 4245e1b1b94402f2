import type { Exchange } from '#http'
import type { JsonObject } from '#json'
import { kind } from '#schema'

/** Further demands on the claims of a token. It can only refuse what was found good, never the other way round. */
export interface JwtValidatorCustomizer {
  /** What is wrong with the claims, in words; empty where nothing is. The exchange has the context `jwtValidation`. */
  violations(claims: JsonObject, exchange: Exchange): Promise<readonly string[]>
}

/** Objects that make further demands on claims. */
export const JwtValidatorCustomizerKind = kind<JwtValidatorCustomizer>('JwtValidatorCustomizer')
