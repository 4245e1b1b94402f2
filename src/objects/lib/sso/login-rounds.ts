import { createHash } from 'node:crypto'
import type { Exchange, Response } from '#http'
import { takeCookies } from '../session/session-cookie.ts'
import { hostCookieName, writeHostCookie } from './host-cookie.ts'

const NAME = 'gateway-rounds-'
const WINDOW = 10_000
const MOST_ROUNDS = 2
const TIMES = /^[0-9a-z]{1,10}(?:\.[0-9a-z]{1,10})?$/

/**
 * Ends circles: a login that is complete and does not last sends the browser back to the authorization server, which knows
 * the user and sends it here at once. The cookie holds when the last logins ended; the session may be what does not last.
 */
export const loginRounds = {
  /** Whether the next login would be the third within the window. */
  isCircling(exchange: Exchange, route: string, now: number): boolean {
    return recent(exchange, route, now).length >= MOST_ROUNDS
  },

  /** Counts a login that has ended. */
  count(response: Response, exchange: Exchange, route: string, now: number): void {
    const times = [...recent(exchange, route, now), now].slice(-MOST_ROUNDS)
    const value = times.map((time) => time.toString(36)).join('.')
    writeHostCookie(response, exchange, nameFor(exchange, route), value, { maxAge: WINDOW / 1_000 })
  },

  /** Resets the count after a logout. */
  reset(response: Response, exchange: Exchange, route: string): void {
    const name = nameFor(exchange, route)
    if (exchange.request.cookies[name] !== undefined) writeHostCookie(response, exchange, name, null, { maxAge: 0 })
  },

  /** Takes the cookies off a request that goes on. */
  strip({ request }: Exchange): void {
    if (!request.headers.all('cookie').some((field) => field.includes(NAME))) return
    takeCookies(request, (name) => name.startsWith(NAME) || name.startsWith(`__Host-${NAME}`))
  },
}

function recent(exchange: Exchange, route: string, now: number): readonly number[] {
  const value = exchange.request.cookies[nameFor(exchange, route)]?.[0]?.value ?? ''
  if (!TIMES.test(value)) return []
  return value
    .split('.')
    .map((time) => Number.parseInt(time, 36))
    .filter((time) => time <= now && now - time < WINDOW)
}

function nameFor(exchange: Exchange, route: string): string {
  return hostCookieName(exchange, NAME + createHash('sha256').update(route).digest('base64url').slice(0, 10))
}
