import type { Exchange, Response, Session } from '#http'
import { kind } from '#schema'

/** The session of one request, and the function that saves it. */
export interface OpenSession {
  readonly session: Session
  /** Saves changes, and sets the cookie on the response where the client needs one. */
  save(response: Response): void | Promise<void>
}

/**
 * The session store can not be reached: the session of a request was not read, or its changes may not be stored. The request
 * gets 503 (spec gaps, sessions).
 */
export class SessionUnavailableError extends Error {
  override readonly name = 'SessionUnavailableError'
  readonly code = 'GW_SESSION_UNAVAILABLE'
}

/** A session is too large for its store. The message names the remedy. */
export class SessionTooLargeError extends Error {
  override readonly name = 'SessionTooLargeError'
  readonly code = 'GW_SESSION_TOO_LARGE'
}

/**
 * Stores sessions between requests. A client can not make it fail: a forged, expired or truncated cookie yields an empty
 * session. Both steps may reject with a SessionUnavailableError, `save` with a SessionTooLargeError.
 */
export interface SessionManager {
  /** The session of the cookie of a request. Removes the cookie from the request, so that no upstream receives it. */
  open(exchange: Exchange): OpenSession | Promise<OpenSession>
}

export const SessionManagerKind = kind<SessionManager>('AsyncSessionManager')
