import type { OpenSession, SessionManager } from '#contracts'
import type { Exchange, Response, SessionRevocations } from '#http'
import type { Clock, Counter } from '#schema'
import { ChangeTrackingSession } from '../../lib/sessions/change-tracking-session.ts'
import { MAX_CANDIDATES, NestedCookie } from '../../lib/sessions/nested-cookie.ts'
import type { SessionCookieSettings } from '../../lib/sessions/session-cookie.ts'
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

  /** A session is valid for the manager of its cookie only. */
  const keysFor = ({ ownName }: NestedCookie): SessionKeys => ({ ...settings.keys, cookie: ownName })

  /** The first valid session: another cookie of the name, of a longer path or a parent domain, comes before ours. */
  const existing = async (exchange: Exchange, own: NestedCookie): Promise<OpenSession> => {
    const keys = keysFor(own)
    for (const token of own.candidates.slice(0, MAX_CANDIDATES)) {
      const content = await openSession(token, keys)
      if (content === null || content.expiresAt + skew <= clock.now()) continue
      return opened(exchange, own, content)
    }
    settings.refused.add()
    return opened(exchange, own, null)
  }

  const opened = (exchange: Exchange, own: NestedCookie, content: SessionContent | null): OpenSession => {
    const before = content === null ? null : { id: content.id, content: content.values }
    const session = new ChangeTrackingSession(before, own, settings.revocations, { isInCookies: true })
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
    const { cookie: own, content: values, id } = session
    const token = session.isEmpty ? '' : await sealSession({ id, values, expiresAt }, keysFor(own))
    const maxAge = settings.persistent ? Math.max(1, Math.floor((expiresAt - clock.now()) / 1_000)) : undefined
    own.write(exchange, response, token, maxAge)
  }

  return {
    open: (exchange) => {
      const own = NestedCookie.open(exchange, cookie)
      return own.candidates.length === 0 ? opened(exchange, own, null) : existing(exchange, own)
    },
  }
}
