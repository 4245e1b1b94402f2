import { type ResourceAccess, ResourceAccessKind } from '#contracts'
import type { Exchange } from '#http'
import { byShape, type DecodedMembers, type Environment, list, type Runtime, ref, runtime, type Settled } from '#schema'

/** The field `scopes`: a list of scopes, or an object that returns them for each request. */
export const SCOPES_FIELD = byShape({
  array: list(byShape({ string: runtime('any'), array: list(runtime('string')) })),
  string: ref(ResourceAccessKind),
  object: ref(ResourceAccessKind),
}).meta({
  description:
    'Scopes that a token must have, all of them: a list of scopes, lists of scopes and expressions of either, or an object such as ScriptableResourceAccess.',
})

/** The settled field. */
type ScopesValue = Settled<DecodedMembers<{ readonly scopes: typeof SCOPES_FIELD }>>['scopes']

/** Returns the scopes that a request requires; a promise only where a body is read or a script runs. */
export type RequiredScopes = (exchange: Exchange) => Iterable<string> | Promise<Iterable<string>>

/** Prepares the field; constant scopes are evaluated at load. */
export function requiredScopes(scopes: ScopesValue, { warn }: Pick<Environment, 'warn'>): RequiredScopes {
  if (!Array.isArray(scopes)) return (exchange) => (scopes as ResourceAccess).requiredScopes(exchange)
  const elements = (scopes as readonly (Runtime<unknown> | readonly Runtime<string>[])[]).flat() as Runtime<unknown>[]
  const constant = constantScopes(elements)
  const joined = constant?.find((scope) => scope.includes(' '))
  if (joined !== undefined)
    warn(`scopes: no token has the scope "${joined}": write each scope as an element of its own`)
  return constant === null ? (exchange) => scopesFor(elements, exchange) : () => constant
}

/** The scopes where all are constant, else null. */
function constantScopes(elements: readonly Runtime<unknown>[]): readonly string[] | null {
  if (!elements.every(({ expression }) => expression.constant)) return null
  // A constant does not use the exchange.
  return elements.flatMap((element) => scopesOf(element(undefined as never), element))
}

async function scopesFor(elements: readonly Runtime<unknown>[], exchange: Exchange): Promise<string[]> {
  const scopes: string[] = []
  for (const element of elements) scopes.push(...scopesOf(await element(exchange), element))
  return scopes
}

/** Throws for null: omitting the scope would weaken the check (field-notes 3.4). */
function scopesOf(value: unknown, { expression }: Runtime<unknown>): string[] {
  const scopes = value instanceof Set || Array.isArray(value) ? [...value] : [value]
  for (const scope of scopes) {
    if (typeof scope === 'string' && scope !== '') continue
    const found = scope === null || scope === '' ? JSON.stringify(scope) : typeof scope
    throw new TypeError(`scopes: expected ${expression.source} to give a scope or a list of scopes, got ${found}`)
  }
  return scopes as string[]
}
