import { type ContextKey, contextKey } from '#http'

/** The cookie of the gateway's session. It is removed from the request, so that no upstream receives it. */
export interface SessionCookie {
  readonly name: string
  readonly value: string
}

/** The context `sessionCookie`, of requests that came with a session. */
export const SessionCookieContext: ContextKey<SessionCookie> = contextKey<SessionCookie>('sessionCookie')
