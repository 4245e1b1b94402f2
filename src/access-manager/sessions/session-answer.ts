import type { AmSession } from '#contracts'
import { isPlainObject, type JsonObject, type JsonValue } from '#json'

/** A session that was looked up, and what news of it may call it. */
export interface FoundSession {
  readonly session: AmSession
  /** Names by which notifications speak of the session, other than its token. */
  readonly names: readonly string[]
}

/** The property that holds the id under which the server audits a session; news of sessions name it. */
const CONTEXT_ID = 'AMCtxId'

/** Parses the answer of a session lookup; null for an unknown session or a malformed answer. */
export function readSession(json: JsonObject, wanted: ReadonlySet<string> | null): FoundSession | null {
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
