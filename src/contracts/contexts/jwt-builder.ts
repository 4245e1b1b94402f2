import { type ContextKey, contextKey } from '#http'
import type { JsonObject } from '#json'

/** The token built by JwtBuilderFilter. */
export interface JwtBuilder {
  /** The token in compact form. */
  readonly value: string
  readonly claims: JsonObject
  /** The claims, under the name that scripts of other gateways use. */
  readonly claimsAsJsonValue: JsonObject
}

/** The context `jwtBuilder`. */
export const JwtBuilderContext: ContextKey<JwtBuilder> = contextKey<JwtBuilder>('jwtBuilder')
