import { type OpenSession, type SessionManager, SessionTooLargeError } from '#contracts'
import type { Exchange, Response, SessionRevocations } from '#http'
import { changedRecord, type RecordChange, type SharedRecord, type SharedStore } from '#schema'
import { ChangeTrackingSession } from './change-tracking-session.ts'
import { MAX_CANDIDATES, NestedCookie } from './nested-cookie.ts'
import type { SessionCookieSettings } from './session-cookie.ts'

/** Maximum size of one session in bytes of JSON: any client can create sessions, which occupy memory. */
const MAX_SESSION = 256 * 1024
const ID = /^[A-Za-z0-9_-]{43}$/

/** Sessions in a shared store, by an id in a cookie. Managers with the same store have the same sessions. */
export function storedSessions(
  store: SharedStore,
  timeout: number,
  cookie: SessionCookieSettings,
  revocations: SessionRevocations,
): SessionManager {
  /** The session of the first id that exists. An id chosen by the client is never used for a new session. */
  const existing = async (exchange: Exchange, ids: readonly string[], own: NestedCookie): Promise<OpenSession> => {
    for (const id of ids) {
      const record = await store.get(keyOf(id, own), timeout)
      if (record === null) continue
      return opened(exchange, id, new ChangeTrackingSession({ id, content: record }, own, revocations))
    }
    return opened(exchange, null, new ChangeTrackingSession(null, own, revocations))
  }

  const opened = (exchange: Exchange, id: string | null, session: ChangeTrackingSession): OpenSession =>
    new StoredSession(exchange, id, session, persist)

  const persist: Persist = async (exchange, id, session, change, response) => {
    const { cookie: own } = session
    checkSize(session.content)
    if (id !== null && !session.isRenewed) {
      // A session that a concurrent request has ended is not created again.
      await store.updateIfPresent(keyOf(id, own), change, timeout)
      if (session.isEmpty) own.write(exchange, response, '')
      return
    }
    // A renewed session has the values stored now, not those from the start of the request.
    const kept = id === null ? null : await store.getAndDelete(keyOf(id, own))
    const content = changedRecord(kept ?? {}, change)
    if (Object.keys(content).length === 0) return own.write(exchange, response, '')
    await store.update(keyOf(session.id, own), { set: content, isOfUser: change.isOfUser ?? false }, timeout)
    own.write(exchange, response, session.id)
  }

  return {
    open: (exchange) => {
      const own = NestedCookie.open(exchange, cookie)
      const { candidates } = own
      if (candidates.length === 0) return opened(exchange, null, new ChangeTrackingSession(null, own, revocations))
      return existing(exchange, candidates.filter((each) => ID.test(each)).slice(0, MAX_CANDIDATES), own)
    },
  }
}

/** Stores the changes of a session. */
type Persist = (
  exchange: Exchange,
  id: string | null,
  session: ChangeTrackingSession,
  change: RecordChange,
  response: Response,
) => Promise<void>

/** The session of one request, and its id in the store where it has one. */
class StoredSession implements OpenSession {
  readonly session: ChangeTrackingSession
  readonly #exchange: Exchange
  readonly #id: string | null
  readonly #persist: Persist

  constructor(exchange: Exchange, id: string | null, session: ChangeTrackingSession, persist: Persist) {
    this.session = session
    this.#exchange = exchange
    this.#id = id
    this.#persist = persist
  }

  save(response: Response): void | Promise<void> {
    const { session } = this
    const { change } = session
    if (change === null || (this.#id === null && session.isEmpty)) return
    return this.#persist(this.#exchange, this.#id, session, change, response)
  }
}

/** An id is valid for the manager of its cookie only. */
function keyOf(id: string, { level }: NestedCookie): string {
  return level === 0 ? id : `${id}!${level}`
}

function checkSize(content: SharedRecord): void {
  if (JSON.stringify(content).length > MAX_SESSION)
    throw new SessionTooLargeError(`the session is larger than ${MAX_SESSION} bytes; store less in it`)
}
