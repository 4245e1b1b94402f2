import { isPlainObject, type JsonObject, type JsonValue } from '#json'
import { claim } from './claims.ts'
import { TokenError } from './token-error.ts'

/**
 * The scopes of a token: an array, or a string separated by spaces (RFC 9068, RFC 8693). They are in `scope`, in `scp` of
 * some issuers, or at the configured path. Throws TokenError.
 */
export function scopesOf(claims: JsonObject, path: readonly string[] | null = null): ReadonlySet<string> {
  const [scope, name] = path === null ? namedScope(claims) : [memberAt(claims, path), path.join('/')]
  if (scope === undefined || scope === null) return new Set()
  if (typeof scope === 'string') return new Set(scope.split(' ').filter((word) => word !== ''))
  if (Array.isArray(scope) && scope.every((word) => typeof word === 'string')) return new Set(scope as string[])
  throw new TokenError(`the claim ${name} is neither text nor a list of texts`)
}

function namedScope(claims: JsonObject): readonly [JsonValue | undefined, string] {
  const scope = claim(claims, 'scope')
  return scope === undefined || scope === null ? [claim(claims, 'scp'), 'scp'] : [scope, 'scope']
}

function memberAt(claims: JsonObject, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = claims
  for (const name of path) value = isPlainObject(value) ? claim(value as JsonObject, name) : undefined
  return value
}
