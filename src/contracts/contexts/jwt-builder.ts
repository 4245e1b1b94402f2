import { type ContextKey, contextKey } from '#http'
import type { JsonObject } from '#json'

/** The token that JwtBuilderFilter has made. */
export interface JwtBuilder {
  /** The token in compact form. */
  readonly value: string
  readonly claims: JsonObject
  /** The claims once more, under the name that scripts know. */
  readonly claimsAsJsonValue: JsonObject
}

/** The context `jwtBuilder`. */
export const JwtBuilderContext: ContextKey<JwtBuilder> = contextKey<JwtBuilder>('jwtBuilder')
