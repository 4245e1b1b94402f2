import type { OpenSession, SessionManager } from '#contracts'
import type { Exchange, Response } from '#http'
import type { Clock, Counter } from '#schema'
import { ChangingSession } from '../../lib/session/changing-session.ts'
import { type SessionCookieSettings, takeCookies, writeCookie } from '../../lib/session/session-cookie.ts'
import { openSession, type SessionContent, type SessionKeys, sealSession } from './session-token.ts'
import { joinValue, partNames, splitValue } from './split-cookie.ts'

/** How sessions are kept with the client. */
export interface JwtSessionSettings {
  readonly keys: SessionKeys
  readonly cookie: SessionCookieSettings
  /** Milliseconds a session lives after it began. */
  readonly timeout: number
  readonly skew: number
  /** Whether the cookie outlives the browser, up to the end of the session. */
  readonly persistent: boolean
  readonly clock: Clock
  /** Counts cookies that stood for no session. */
  readonly refused: Counter
}

type Cookies = ReadonlyMap<string, readonly string[]>

/** Sessions that the client keeps, encrypted. */
export function jwtSessions(settings: JwtSessionSettings): SessionManager {
  const { cookie, keys, clock, skew } = settings
  const names = partNames(cookie.name)
  const isOurs = (name: string) => names.includes(name)

  const contentOf = async (cookies: Cookies): Promise<SessionContent | null> => {
    const [first] = cookies.get(cookie.name) ?? []
    if (first === undefined) return null
    const token = joinValue(first, (index) => cookies.get(names[index] as string)?.[0])
    const content = token === null ? null : await openSession(token, keys)
    if (content !== null && content.expiresAt + skew > clock.now()) return content
    settings.refused.add()
    return null
  }

  const opened = (exchange: Exchange, content: SessionContent | null, sent: Cookies): OpenSession => {
    const session = new ChangingSession(content?.values ?? null)
    return {
      session,
      cookie: content === null ? null : { name: cookie.name, value: names.map((name) => sent.get(name)?.[0]).join('') },
      save: (response) => {
        if (session.change === null || (content === null && session.isEmpty)) return
        // A login is a new beginning: what was there before it does not shorten it.
        const begun = session.isRenewed ? null : content
        return keep(exchange, response, session, begun?.expiresAt ?? clock.now() + settings.timeout, sent)
      },
    }
  }

  const keep = async (
    exchange: Exchange,
    response: Response,
    session: ChangingSession,
    expiresAt: number,
    sent: Cookies,
  ) => {
    const token = session.isEmpty ? null : await sealSession({ values: session.content, expiresAt }, keys)
    const parts = token === null ? [] : splitValue(token)
    const maxAge = settings.persistent ? Math.max(1, Math.floor((expiresAt - clock.now()) / 1_000)) : undefined
    for (const [index, name] of names.entries()) {
      const part = parts[index]
      if (part !== undefined) writeCookie(response, exchange, cookie, name, part, maxAge)
      else if (sent.has(name)) writeCookie(response, exchange, cookie, name, '')
    }
  }

  return {
    open: (exchange) => {
      const sent = exchange.request.headers.has('cookie') ? takeCookies(exchange.request, isOurs) : NONE
      if (!sent.has(cookie.name)) return opened(exchange, null, sent)
      return contentOf(sent).then((content) => opened(exchange, content, sent))
    },
  }
}

const NONE: Cookies = new Map()
