import type { Exchange, Response, Session } from '#http'
import { kind } from '#schema'
import type { SessionCookie } from './contexts/session-cookie.ts'

/** The session of one request, and the function that saves it. */
export interface OpenSession {
  readonly session: Session
  /** The cookie that the session was found by; null where it is new. */
  readonly cookie: SessionCookie | null
  /** Saves changes, and sets the cookie on the response where the client needs one. */
  save(response: Response): void | Promise<void>
}

/**
 * The session store can not be reached: it is unknown whether a request has a session, or whether its changes are stored.
 * Such a request gets 503 (spec gaps, sessions).
 */
export class SessionUnavailableError extends Error {
  override readonly name = 'SessionUnavailableError'
  readonly code = 'GW_SESSION_UNAVAILABLE'
}

/** A session is too large for its store. The message has the remedy. */
export class SessionTooLargeError extends Error {
  override readonly name = 'SessionTooLargeError'
  readonly code = 'GW_SESSION_TOO_LARGE'
}

/**
 * Keeps sessions between requests. What a client sends never makes it fail: a cookie that is forged, over or cut gives
 * an empty session. Both steps may reject with a SessionUnavailableError, `save` with a SessionTooLargeError.
 */
export interface SessionManager {
  /** The session that the cookie of a request stands for; takes the cookie off the request, it is not for upstreams. */
  open(exchange: Exchange): OpenSession | Promise<OpenSession>
}

/** Objects that keep sessions. */
export const SessionManagerKind = kind<SessionManager>('AsyncSessionManager')
