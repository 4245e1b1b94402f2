import type { ClientRegistration } from '#contracts'
import type { Exchange, Response } from '#http'
import { isLoginSecret } from '#openid'
import { LoginCookies } from '../../lib/sso/login-cookies.ts'
import { loginRounds } from '../../lib/sso/login-rounds.ts'
import type { BegunLogin } from './login-memory.ts'
import { postedAnswers } from './posted-answers.ts'

const FOLLOWED = new LoginCookies('gateway-login', { isPosted: false })
const POSTED = new LoginCookies('gateway-posted-login', { isPosted: true })

/** Logins under way, each in a cookie of the browser that began it. What it holds is the browser's word. */
export const begunLogins = {
  remember(
    response: Response,
    exchange: Exchange,
    registration: ClientRegistration,
    state: string,
    login: BegunLogin,
    now: number,
  ): void {
    const cookies = isPosted(registration) ? POSTED : FOLLOWED
    cookies.remember(response, exchange, { state, ...login }, now)
  },

  recall(exchange: Exchange, state: string, now: number): BegunLogin | null {
    const login = FOLLOWED.recall(exchange, state, now) ?? POSTED.recall(exchange, state, now)
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

  forget(response: Response, exchange: Exchange, state: string, now: number): void {
    for (const cookies of [FOLLOWED, POSTED])
      if (cookies.recall(exchange, state, now) !== null) cookies.forget(response, exchange, state)
  },

  /** Makes room for a session in cookies, once a user is logged in. */
  trim(response: Response, exchange: Exchange, state: string): void {
    for (const cookies of [FOLLOWED, POSTED]) cookies.trim(response, exchange, state)
  },

  /** Takes the cookies of logins off a request that goes on. */
  strip(exchange: Exchange): void {
    FOLLOWED.strip(exchange)
    POSTED.strip(exchange)
    loginRounds.strip(exchange)
    postedAnswers.strip(exchange)
  },
}

/** Whether the answer of the server is a form that the browser posts. */
export function isPosted({ responseMode }: ClientRegistration): boolean {
  return responseMode?.startsWith('form_post') ?? false
}
