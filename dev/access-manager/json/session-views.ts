import type { Family } from '../settings.ts'
import type { Session } from '../state/sessions.ts'

interface Ends {
  readonly idle: number
  readonly most: number
}

const MINUTE = 60_000

/** Response of `getSessionInfo`; without properties in the format of OpenAM. */
export function sessionInformation(
  session: Session,
  ends: Ends,
  properties: Readonly<Record<string, string>> | null,
): object {
  return {
    username: session.owner.name,
    universalId: session.universalId,
    realm: session.owner.realm,
    latestAccessTime: instant(session.usedAt),
    maxIdleExpirationTime: instant(ends.idle),
    maxSessionExpirationTime: instant(ends.most),
    ...(properties === null ? { sessionHandle: session.handle } : { properties }),
  }
}

/** Response of `validate` for a valid session. */
export function validation({ uid, owner }: Session, family: Family): object {
  const who = { uid: owner.name, realm: owner.realm }
  return family === 'pingam' ? { valid: true, sessionUid: uid, ...who } : { valid: true, ...who }
}

/** Response of `refresh`: minutes, and `maxtime` in seconds. */
export function sessionTimes({ owner, usedAt, startedAt }: Session, { idle, most }: Ends): object {
  return {
    uid: owner.name,
    realm: owner.realm,
    idletime: 0,
    maxidletime: Math.round((idle - usedAt) / MINUTE),
    maxsessiontime: Math.round((most - startedAt) / MINUTE),
    maxtime: Math.max(0, Math.round((most - usedAt) / 1000)),
  }
}

/** A time in the format of these endpoints, without fractions of a second. */
function instant(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z')
}
