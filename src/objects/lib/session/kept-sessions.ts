import { randomBytes } from 'node:crypto'
import type { OpenSession, SessionManager } from '#contracts'
import type { Exchange, Response } from '#http'
import type { KeptRecords } from '#schema'
import { ChangingSession } from './changing-session.ts'
import { type SessionCookieSettings, takeCookies, writeCookie } from './session-cookie.ts'

/** Bytes of JSON one session may grow to: it is held in memory for everybody who asks for one. */
const MAX_SESSION = 256 * 1024
/** Values of one cookie name that are looked at: a client may send the name several times. */
const MAX_CANDIDATES = 4
const ID = /^[A-Za-z0-9_-]{43}$/

/** Sessions over records that others see too, by an id in a cookie; managers with the same records have the same sessions. */
export function keptSessions(records: KeptRecords, timeout: number, cookie: SessionCookieSettings): SessionManager {
  const isOurs = (name: string) => name === cookie.name

  /** The first id that stands for a session; an id that a client made up is never taken over. */
  const known = async (exchange: Exchange, ids: readonly string[]): Promise<OpenSession> => {
    for (const id of ids.filter((each) => ID.test(each)).slice(0, MAX_CANDIDATES)) {
      const record = await records.read(id, timeout)
      if (record !== null) return opened(exchange, id, new ChangingSession(record))
    }
    return opened(exchange, null, new ChangingSession(null))
  }

  const opened = (exchange: Exchange, id: string | null, session: ChangingSession): OpenSession => ({
    session,
    cookie: id === null ? null : { name: cookie.name, value: id },
    save: (response) => {
      const { change } = session
      if (change === null || (id === null && session.isEmpty)) return
      return keep(exchange, id, session, response)
    },
  })

  const keep = async (exchange: Exchange, id: string | null, session: ChangingSession, response: Response) => {
    if (JSON.stringify(session.content).length > MAX_SESSION)
      throw new Error(`the session is larger than ${MAX_SESSION} bytes; keep less in it`)
    const isNew = id === null || session.isRenewed
    const key = isNew ? randomBytes(32).toString('base64url') : id
    if (id !== null && isNew) await records.take(id)
    // A session that another request has ended meanwhile is not brought back to life.
    if (isNew) await records.change(key, { set: session.content }, timeout)
    else await records.amend(key, session.change ?? {}, timeout)
    if (session.isEmpty) writeCookie(response, exchange, cookie, cookie.name, '')
    else if (isNew) writeCookie(response, exchange, cookie, cookie.name, key)
  }

  return {
    open: (exchange) => {
      const ids = exchange.request.headers.has('cookie')
        ? takeCookies(exchange.request, isOurs).get(cookie.name)
        : undefined
      return ids === undefined ? opened(exchange, null, new ChangingSession(null)) : known(exchange, ids)
    },
  }
}
