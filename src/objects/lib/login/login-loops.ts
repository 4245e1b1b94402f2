import { createHash } from 'node:crypto'
import type { Exchange, Response } from '#http'
import { hostCookieName, withholdHostCookies, writeHostCookie } from '../browser/host-cookie.ts'

const NAME = 'gateway-rounds-'
const WINDOW = 10_000
const MOST_ROUNDS = 2
const TIMES = /^[0-9a-z]{1,10}(?:\.[0-9a-z]{1,10})?$/

/**
 * Detects login loops: without a stored login the browser is redirected to the authorization server, which has a session of the user
 * and redirects back at once. A cookie holds the times of the last logins, since the session may be what is not stored.
 */
export const loginLoops = {
  /** Whether the next login would be the third within the window. */
  isLooping(exchange: Exchange, route: string, now: number): boolean {
    return recent(exchange, route, now).length >= MOST_ROUNDS
  },

  /** Counts a completed login. */
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

  /** Removes the cookies from a request before it is passed on, and from the response of an application. */
  strip(exchange: Exchange): void {
    withholdHostCookies(exchange, NAME)
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
