import { createHash } from 'node:crypto'
import { type Exchange, type Response, respond } from '#http'
import { hostCookieName, withholdHostCookies, writeHostCookie } from '../../lib/browser/host-cookie.ts'

const NAME = 'gateway-answer-'
const LIFETIME = 60
const LONGEST_VALUE = 3_900
/** Parameters of an authorization response that the callback reads. */
const KEPT = ['code', 'state', 'iss', 'error', 'error_description', 'response']

/**
 * Authorization responses of the mode `form_post`, in a cookie. The form is posted from another site, so that the session cookie,
 * which is Lax, is not sent with it: the browser is redirected to the callback, which reads the response from the cookie. The code
 * is in no URL, as the mode guarantees.
 */
export const responseCookies = {
  /** The redirect to the callback with the form in a cookie; null where it is too large. */
  handOver(exchange: Exchange, callback: string, state: string, form: URLSearchParams): Response | null {
    const kept = new URLSearchParams(KEPT.flatMap((name) => form.getAll(name).map((value) => [name, value])))
    const value = Buffer.from(kept.toString()).toString('base64url')
    if (value.length > LONGEST_VALUE) return null
    const response = seeCallback(callback, state)
    writeHostCookie(response, exchange, nameFor(exchange, state), value, { maxAge: LIFETIME })
    return response
  },

  /** The parameters of a stored form; null if missing. */
  find(exchange: Exchange, state: string): URLSearchParams | null {
    const value = exchange.request.cookies[nameFor(exchange, state)]?.[0]?.value
    if (value === undefined || value.length > LONGEST_VALUE) return null
    return new URLSearchParams(Buffer.from(value, 'base64url').toString('utf8'))
  },

  forget(response: Response, exchange: Exchange, state: string): void {
    const name = nameFor(exchange, state)
    if (exchange.request.cookies[name] !== undefined) writeHostCookie(response, exchange, name, null, { maxAge: 0 })
  },

  strip(exchange: Exchange): void {
    withholdHostCookies(exchange, NAME)
  },
}

/** Redirects the browser to the callback by a request that has the cookies of this site. */
export function seeCallback(callback: string, state: string): Response {
  return respond(303, { Location: `${callback}?state=${encodeURIComponent(state)}`, 'Cache-Control': 'no-store' })
}

function nameFor(exchange: Exchange, state: string): string {
  return hostCookieName(exchange, NAME + createHash('sha256').update(state).digest('base64url').slice(0, 22))
}
