import type { OpenSession, SessionManager } from '#contracts'
import type { Exchange, Response, SessionRevocations } from '#http'
import type { Clock, Counter } from '#schema'
import { ChangeTrackingSession } from '../../lib/session/change-tracking-session.ts'
import { CookiePart, MAX_CANDIDATES } from '../../lib/session/cookie-part.ts'
import type { SessionCookieSettings } from '../../lib/session/session-cookie.ts'
import { openSession, type SessionContent, type SessionKeys, sealSession } from './session-token.ts'

interface JwtSessionSettings {
  readonly keys: SessionKeys
  readonly cookie: SessionCookieSettings
  /** Lifetime of a session in milliseconds. */
  readonly timeout: number
  readonly skew: number
  /** Whether browsers store the cookie until the end of the session. */
  readonly persistent: boolean
  readonly clock: Clock
  /** Counts cookies without a valid session. */
  readonly refused: Counter
  readonly revocations: SessionRevocations
}

/** Encrypted sessions in cookies. */
export function jwtSessions(settings: JwtSessionSettings): SessionManager {
  const { cookie, clock, skew } = settings

  /** A session is valid for its own manager only, in any order of the cookie parts. */
  const keysFor = ({ name, level }: CookiePart): SessionKeys => ({
    ...settings.keys,
    cookie: level === 0 ? name : `${name}!${level}`,
  })

  /** The first valid session: another cookie of the name, of a longer path or a parent domain, comes before ours. */
  const existing = async (exchange: Exchange, part: CookiePart): Promise<OpenSession> => {
    const keys = keysFor(part)
    for (const token of part.candidates.slice(0, MAX_CANDIDATES)) {
      const content = await openSession(token, keys)
      if (content === null || content.expiresAt + skew <= clock.now()) continue
      part.accept(token)
      return opened(exchange, part, content)
    }
    settings.refused.add()
    return opened(exchange, part, null)
  }

  const opened = (exchange: Exchange, part: CookiePart, content: SessionContent | null): OpenSession => {
    const before = content === null ? null : { id: content.id, content: content.values }
    const session = new ChangeTrackingSession(before, part, settings.revocations, { isInCookies: true })
    return {
      session,
      save: (response) => {
        if (session.change === null || (content === null && session.isEmpty)) return
        // A login restarts the lifetime.
        const begun = session.isRenewed ? null : content
        return keep(exchange, response, session, begun?.expiresAt ?? clock.now() + settings.timeout)
      },
    }
  }

  const keep = async (exchange: Exchange, response: Response, session: ChangeTrackingSession, expiresAt: number) => {
    const { cookie: part, content: values, id } = session
    const token = session.isEmpty ? '' : await sealSession({ id, values, expiresAt }, keysFor(part))
    const maxAge = settings.persistent ? Math.max(1, Math.floor((expiresAt - clock.now()) / 1_000)) : undefined
    part.write(exchange, response, token, maxAge)
  }

  return {
    open: (exchange) => {
      const part = CookiePart.open(exchange, cookie)
      return part.candidates.length === 0 ? opened(exchange, part, null) : existing(exchange, part)
    },
  }
}
