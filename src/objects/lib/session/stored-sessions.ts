import { randomBytes } from 'node:crypto'
import { type OpenSession, type SessionManager, SessionTooLargeError } from '#contracts'
import type { Exchange, Response, SessionRevocations } from '#http'
import { changedRecord, type RecordChange, type SharedRecord, type SharedStore } from '#schema'
import { ChangingSession } from './changing-session.ts'
import { CookiePart } from './cookie-part.ts'
import type { SessionCookieSettings } from './session-cookie.ts'

/** Bytes of JSON one session may grow to: it is held in memory for each client that requests one. */
const MAX_SESSION = 256 * 1024
/** Values of one cookie name that are looked at: a client may send the name several times. */
const MAX_CANDIDATES = 4
const ID = /^[A-Za-z0-9_-]{43}$/

/** Sessions over store that others see too, by an id in a cookie; managers with the same store have the same sessions. */
export function storedSessions(
  store: SharedStore,
  timeout: number,
  cookie: SessionCookieSettings,
  revocations: SessionRevocations,
): SessionManager {
  /** The first id that stands for a session; an id that a client made up is never taken over. */
  const known = async (exchange: Exchange, ids: readonly string[], part: CookiePart): Promise<OpenSession> => {
    for (const id of ids) {
      const record = await store.get(keyOf(id, part), timeout)
      if (record !== null) return opened(exchange, id, new ChangingSession(record, part, revocations))
    }
    return opened(exchange, null, new ChangingSession(null, part, revocations))
  }

  const opened = (exchange: Exchange, id: string | null, session: ChangingSession): OpenSession => ({
    session,
    cookie: id === null ? null : { name: cookie.name, value: id },
    save: (response) => {
      const { change } = session
      if (change === null || (id === null && session.isEmpty)) return
      return keep(exchange, id, session, change, response)
    },
  })

  const keep = async (
    exchange: Exchange,
    id: string | null,
    session: ChangingSession,
    change: RecordChange,
    response: Response,
  ) => {
    const { cookie: part } = session
    checkSize(session.content)
    if (id !== null && !session.isRenewed) {
      // A session that another request has ended meanwhile is not brought back to life.
      await store.updateIfPresent(keyOf(id, part), change, timeout)
      if (session.isEmpty) part.write(exchange, response, '')
      return
    }
    // A renewed session has the values stored now, not those from the start of the request.
    const kept = id === null ? null : await store.getAndDelete(keyOf(id, part))
    const content = changedRecord(kept ?? {}, change)
    if (Object.keys(content).length === 0) return part.write(exchange, response, '')
    const fresh = randomBytes(32).toString('base64url')
    await store.update(keyOf(fresh, part), { set: content }, timeout)
    part.write(exchange, response, fresh)
  }

  return {
    open: (exchange) => {
      const part = CookiePart.open(exchange, cookie)
      const ids = part.candidates.filter((each) => ID.test(each)).slice(0, MAX_CANDIDATES)
      return ids.length === 0
        ? opened(exchange, null, new ChangingSession(null, part, revocations))
        : known(exchange, ids, part)
    },
  }
}

/** Managers around one another have one cookie, and a session each. */
function keyOf(id: string, { level }: CookiePart): string {
  return level === 0 ? id : `${id}!${level}`
}

function checkSize(content: SharedRecord): void {
  if (JSON.stringify(content).length > MAX_SESSION)
    throw new SessionTooLargeError(`the session is larger than ${MAX_SESSION} bytes; keep less in it`)
}
