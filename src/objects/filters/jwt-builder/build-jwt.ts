import { JwtBuilderContext } from '#contracts'
import type { Exchange, Filter } from '#http'
import { buildToken, type TokenKeys } from '../../lib/tokens/build-token.ts'
import { claimsFrom } from '../../lib/tokens/claims-from.ts'

/** Builds a token for each request and adds it to the context. A failure is a fault. */
export function buildJwt(template: (exchange: Exchange) => unknown, keys: TokenKeys): Filter {
  return async (exchange, next) => {
    const claims = claimsFrom(await template(exchange))
    const value = await buildToken(claims, keys)
    return next(exchange.with(JwtBuilderContext, { value, claims, claimsAsJsonValue: claims }))
  }
}
