import type { ClientRegistration } from '#contracts'
import type { Exchange, Response } from '#http'
import { isLoginSecret } from '#openid'
import { LoginCookies } from '../../lib/login/login-cookies.ts'
import { loginLoops } from '../../lib/login/login-loops.ts'
import type { PendingLogin } from './login-session.ts'
import { responseCookies } from './posted-response-cookies.ts'

const FOLLOWED = new LoginCookies('gateway-login', { isPosted: false })
const POSTED = new LoginCookies('gateway-posted-login', { isPosted: true })

/** Pending logins, each in a cookie of the browser that began it. The content is untrusted input. */
export const pendingLogins = {
  add(
    response: Response,
    exchange: Exchange,
    registration: ClientRegistration,
    state: string,
    login: PendingLogin,
    now: number,
  ): void {
    const cookies = isPosted(registration) ? POSTED : FOLLOWED
    cookies.add(response, exchange, { state, ...login }, now)
  },

  find(exchange: Exchange, state: string, now: number): PendingLogin | null {
    const login = FOLLOWED.find(exchange, state, now) ?? POSTED.find(exchange, state, now)
    if (login === null) return null
    const { secret, registration, goto, maxAge, acr } = login
    if (!isLoginSecret(secret) || typeof registration !== 'string') return null
    return {
      secret,
      registration,
      goto,
      ...(typeof maxAge === 'number' && { maxAge }),
      ...(typeof acr === 'string' && { acr }),
    }
  },

  delete(response: Response, exchange: Exchange, state: string, now: number): void {
    for (const cookies of [FOLLOWED, POSTED])
      if (cookies.find(exchange, state, now) !== null) cookies.delete(response, exchange, state)
  },

  /** Removes cookies of other logins, so that a session in cookies fits into the request head. */
  trim(response: Response, exchange: Exchange, state: string): void {
    for (const cookies of [FOLLOWED, POSTED]) cookies.trim(response, exchange, state)
  },

  /** Removes the cookies from a request before it is passed on, and from the response of an application. */
  strip(exchange: Exchange): void {
    FOLLOWED.strip(exchange)
    POSTED.strip(exchange)
    loginLoops.strip(exchange)
    responseCookies.strip(exchange)
  },
}

/** Whether the response mode is `form_post`. */
export function isPosted({ responseMode }: ClientRegistration): boolean {
  return responseMode?.startsWith('form_post') ?? false
}
