import type { TokenRejection, TokenResolution } from '#contracts'
import { type JsonObject, type JsonValue, numberValue } from '#json'

export const EXPIRED: TokenRejection = { outcome: 'invalid', description: 'The access token has expired.' }

/** A malformed response rejects the token (threats B62). */
const INCOMPREHENSIBLE: TokenRejection = {
  outcome: 'unavailable',
  description: 'The response of the authorization server is malformed.',
}

/** Resolves a token by an introspection response (RFC 7662 section 2.2). */
export function resolutionOf(token: string, info: JsonObject, now: number): TokenResolution {
  const scopes = scopesIn(info['scope'])
  const expiresAt = expiryOf(info, now)
  if (scopes === null || expiresAt === 'unknown') return INCOMPREHENSIBLE
  if (expiresAt !== null && expiresAt <= now) return EXPIRED
  return { outcome: 'valid', accessToken: { token, info, scopes, expiresAt } }
}

/** The reason why `resolutionOf` found a response malformed, without values. */
export function malformedMember(info: JsonObject): string {
  if (scopesIn(info['scope']) === null) return 'expected scopes in "scope", a text or a list of texts'
  const name = (info['exp'] ?? null) === null ? 'expires_in' : 'exp'
  return `expected a number of seconds in "${name}", got ${typeof info[name] === 'string' ? 'a text' : 'something else'}`
}

/** Scopes as a space-separated string (RFC 6749 section 3.3) or as a list; null for any other type. */
function scopesIn(scope: JsonValue | undefined): ReadonlySet<string> | null {
  if (scope === undefined || scope === null) return new Set()
  if (typeof scope === 'string') return new Set(scope.split(' ').filter((each) => each !== ''))
  if (!Array.isArray(scope)) return null
  return scope.every((each) => typeof each === 'string') ? new Set(scope) : null
}

/** Milliseconds since the epoch, from `exp`, else from `expires_in`, both in seconds; null where both are missing. */
function expiryOf(info: JsonObject, now: number): number | null | 'unknown' {
  const exp = info['exp'] ?? null
  if (exp !== null) return milliseconds(exp) ?? 'unknown'
  const rest = info['expires_in'] ?? null
  if (rest === null) return null
  const left = milliseconds(rest)
  return left === null ? 'unknown' : now + left
}

/** Null where the value is no number of seconds. */
function milliseconds(value: JsonValue): number | null {
  const seconds = numberValue(value)
  return seconds !== null && Number.isFinite(seconds * 1_000) ? seconds * 1_000 : null
}
