import type { ResourceAccess } from '#contracts'
import type { Exchange } from '#http'
import type { Runtime } from '#schema'

/** Scopes to request, of expressions or an object. Throws for null: the token would have other scopes than configured. */
export async function scopesFor(
  scopes: readonly Runtime<string>[] | ResourceAccess,
  exchange: Exchange,
): Promise<readonly string[]> {
  if ('requiredScopes' in scopes) return [...(await scopes.requiredScopes(exchange))]
  const found: string[] = []
  for (const evaluate of scopes) {
    const scope = await evaluate(exchange)
    if (scope === null) throw new TypeError(`scopes: ${evaluate.expression.source} gave null; expected a scope`)
    found.push(scope)
  }
  return found
}
