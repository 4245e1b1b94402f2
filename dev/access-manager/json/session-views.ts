import type { Family } from '../settings.ts'
import type { Session } from '../state/sessions.ts'

interface Ends {
  readonly idle: number
  readonly most: number
}

const MINUTE = 60_000

/** What `getSessionInfo` says; without properties it is the form of OpenAM. */
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

/** What `validate` says of a session that lives. */
export function validation({ uid, owner }: Session, family: Family): object {
  const who = { uid: owner.name, realm: owner.realm }
  return family === 'pingam' ? { valid: true, sessionUid: uid, ...who } : { valid: true, ...who }
}

/** What `refresh` says: minutes, and `maxtime` in seconds. */
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

/** A time as these endpoints write it, without parts of a second. */
function instant(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z')
}
