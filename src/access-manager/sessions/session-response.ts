import type { AmSession } from '#contracts'
import { isPlainObject, type JsonObject, type JsonValue } from '#json'

export interface SessionLookupResult {
  readonly session: AmSession
  /** Names of the session in notifications, other than its token. */
  readonly names: readonly string[]
}

/** Property with the audit id of a session, which notifications name. */
const CONTEXT_ID = 'AMCtxId'

/** Parses the description of a session; null for an invalid session, or for JSON without user and realm. */
export function readSession(json: JsonObject, wanted: ReadonlySet<string> | null): SessionLookupResult | null {
  if (json['valid'] === false) return null
  const username = textOf(json['username']) ?? textOf(json['uid'])
  const realm = textOf(json['realm'])
  if (username === null || realm === null) return null
  const { properties: given, ...info } = json
  const all = isPlainObject(given) ? (given as JsonObject) : {}
  const universalId = textOf(json['universalId'])
  const names = [textOf(all[CONTEXT_ID]), textOf(json['sessionUid']), textOf(json['sessionHandle']), universalId]
  return {
    session: {
      username,
      realm,
      universalId,
      latestAccessTime: timeOf(json['latestAccessTime']),
      maxIdleExpirationTime: timeOf(json['maxIdleExpirationTime']),
      maxSessionExpirationTime: timeOf(json['maxSessionExpirationTime']),
      properties: Object.fromEntries(Object.entries(all).filter(([name]) => wanted?.has(name) ?? true)),
      info,
    },
    names: names.filter((name) => name !== null),
  }
}

function textOf(value: JsonValue | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

function timeOf(value: JsonValue | undefined): number | null {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(time) ? null : time
}
