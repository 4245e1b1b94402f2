import { isPlainObject, type JsonObject, type JsonValue, numberValue } from '#json'
import { TokenError } from './token-error.ts'
import { readObject } from './token-json.ts'

/** The claims in the payload of a token. Throws TokenError where the payload is no JSON object. */
export function readClaims(payload: Buffer): JsonObject {
  return readObject(payload, 'payload')
}

/** Own properties only; undefined where the claim is missing. */
export function claim(claims: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(claims, name) ? claims[name] : undefined
}

/** Claims that hold a point in time (RFC 7519 section 4.1). */
export type TimeClaim = 'exp' | 'nbf' | 'iat'

/** Rules for the times in claims. */
interface TimeRules {
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Accepted clock skew of the issuer in milliseconds. */
  readonly skew: number
  /** The claims that must be present; those present are always checked. */
  readonly required?: readonly TimeClaim[]
}

/** `iat` may be this far in the future with any skew: a gateway whose clock is slightly behind must not reject fresh tokens. */
const ISSUED_AHEAD = 60_000

/** The latest second that a Date can represent. */
const LAST_SECOND = 8_640_000_000_000

/** Converts seconds since the epoch to milliseconds; null where the value is no plausible NumericDate. */
export function numericDate(value: JsonValue): number | null {
  const seconds = numberValue(value)
  // JSON numbers such as 1e400 are infinite as doubles.
  if (seconds === null || !Number.isFinite(seconds) || seconds < 0 || seconds > LAST_SECOND) return null
  return seconds * 1000
}

/** Violations of the rules, in words that may be shown to the bearer. */
export function timeViolations(claims: JsonObject, { now, skew, required = [] }: TimeRules): readonly string[] {
  const violations: string[] = []
  const check = (name: TimeClaim, wrong: (time: number) => string | null): void => {
    const value = claim(claims, name)
    if (value === undefined) {
      if (required.includes(name)) violations.push(`the token has no claim ${name}`)
      return
    }
    const time = numericDate(value)
    const violation = time === null ? `the claim ${name} is not a number of seconds since the epoch` : wrong(time)
    if (violation !== null) violations.push(violation)
  }
  check('exp', (exp) => (now < exp + skew ? null : 'the token has expired'))
  check('nbf', (nbf) => (now >= nbf - skew ? null : 'the token is not valid yet'))
  check('iat', (iat) => (now >= iat - Math.max(skew, ISSUED_AHEAD) ? null : 'the token was issued in the future'))
  return violations
}

/** Whether the claim `aud` (a string or an array of strings) contains an audience. */
export function isForAudience(claims: JsonObject, audience: string): boolean {
  const aud = claim(claims, 'aud')
  return Array.isArray(aud) ? aud.includes(audience) : aud === audience
}

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
