import { createHash } from 'node:crypto'
import { type Exchange, type Response, respond } from '#http'
import { takeCookies } from '../../lib/session/session-cookie.ts'
import { hostCookieName, writeHostCookie } from '../../lib/sso/host-cookie.ts'

const NAME = 'gateway-answer-'
const LIFETIME = 60
const LONGEST_VALUE = 3_900
/** Parameters of an authorization response that are looked at. */
const KEPT = ['code', 'state', 'iss', 'error', 'error_description', 'response']

/**
 * Answers that come as a form (`response_mode` `form_post`). The form comes from another site, so that the session, whose
 * cookie is Lax, does not come along: a cookie takes the answer to a request of this browser that has it. The code is in no
 * URL, as the mode promises.
 */
export const postedAnswers = {
  /** Hands a form over to the callback; null where it is too large. */
  handOver(exchange: Exchange, callback: string, state: string, form: URLSearchParams): Response | null {
    const kept = new URLSearchParams(KEPT.flatMap((name) => form.getAll(name).map((value) => [name, value])))
    const value = Buffer.from(kept.toString()).toString('base64url')
    if (value.length > LONGEST_VALUE) return null
    const response = seeCallback(callback, state)
    writeHostCookie(response, exchange, nameFor(exchange, state), value, { maxAge: LIFETIME })
    return response
  },

  /** The parameters of a form that was handed over; null if missing. */
  find(exchange: Exchange, state: string): URLSearchParams | null {
    const value = exchange.request.cookies[nameFor(exchange, state)]?.[0]?.value
    if (value === undefined || value.length > LONGEST_VALUE) return null
    return new URLSearchParams(Buffer.from(value, 'base64url').toString('utf8'))
  },

  forget(response: Response, exchange: Exchange, state: string): void {
    const name = nameFor(exchange, state)
    if (exchange.request.cookies[name] !== undefined) writeHostCookie(response, exchange, name, null, { maxAge: 0 })
  },

  strip({ request }: Exchange): void {
    if (!request.headers.all('cookie').some((field) => field.includes(NAME))) return
    takeCookies(request, (name) => name.startsWith(NAME) || name.startsWith(`__Host-${NAME}`))
  },
}

/** Sends the browser to the callback by a request that brings the cookies of this site. */
export function seeCallback(callback: string, state: string): Response {
  return respond(303, { Location: `${callback}?state=${encodeURIComponent(state)}`, 'Cache-Control': 'no-store' })
}

function nameFor(exchange: Exchange, state: string): string {
  return hostCookieName(exchange, NAME + createHash('sha256').update(state).digest('base64url').slice(0, 22))
}
