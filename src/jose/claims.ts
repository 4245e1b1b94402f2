import { type JsonObject, type JsonValue, numberValue } from '#json'
import { readObject } from './token-json.ts'

/** The claims in the payload of a token. Throws TokenError where the payload is no JSON object. */
export function readClaims(payload: Buffer): JsonObject {
  return readObject(payload, 'payload')
}

/** Own properties only; undefined where the claim is missing. */
export function claim(claims: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(claims, name) ? claims[name] : undefined
}

/** The latest second that a Date can represent. */
const LAST_SECOND = 8_640_000_000_000

/** Converts seconds since the epoch to milliseconds; null where the value is no plausible NumericDate. */
export function numericDate(value: JsonValue): number | null {
  const seconds = numberValue(value)
  // JSON numbers such as 1e400 are infinite as doubles.
  if (seconds === null || !Number.isFinite(seconds) || seconds < 0 || seconds > LAST_SECOND) return null
  return seconds * 1000
}

/** The same for a member of a response, where servers write numbers beyond every date for `never`: the nearest date. */
export function responseDate(value: JsonValue): number | null {
  const seconds = numberValue(value)
  if (seconds === null || !Number.isFinite(seconds)) return null
  return Math.min(Math.max(seconds, 0), LAST_SECOND) * 1000
}

/** Whether the claim `aud` (a string or an array of strings) contains one of the audiences, compared exactly. */
export function isForAudience(claims: JsonObject, audiences: readonly string[]): boolean {
  const aud = claim(claims, 'aud')
  return Array.isArray(aud) ? audiences.some((each) => aud.includes(each)) : audiences.some((each) => each === aud)
}
