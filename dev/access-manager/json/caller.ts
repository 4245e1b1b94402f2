import type { IncomingHttpHeaders } from 'node:http'
import { cookieOf, headerOf } from '../http/call.ts'
import type { Session, Sessions } from '../state/sessions.ts'

/** The session token of a request: the cookie, else the header of the same name. */
export function presentedToken(headers: IncomingHttpHeaders, cookieName: string): string | undefined {
  return cookieOf(headers, cookieName) ?? headerOf(headers, cookieName)
}

/** The caller; undefined without a valid session. */
export function callerOf(headers: IncomingHttpHeaders, cookieName: string, sessions: Sessions): Session | undefined {
  return sessions.find(presentedToken(headers, cookieName))
}
