import { type ContextKey, contextKey } from '#http'

/** The cookie of the gateway's own session. It was taken off the request, so that no upstream sees it. */
export interface SessionCookie {
  readonly name: string
  readonly value: string
}

/** The context `sessionCookie`, of requests that came with a session. */
export const SessionCookieContext: ContextKey<SessionCookie> = contextKey<SessionCookie>('sessionCookie')
