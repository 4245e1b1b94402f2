import { type Exchange, isManagementCookie, parseSetCookie, type Response } from '#http'
import type { Logger } from '#logging'
import { EVENTS } from './log-events.ts'

/** Characters of a name in the log: cookies of logins in progress are recognised by the beginning of their name, and may have any end. */
const LONGEST_NAME = 100

/**
 * Removes cookies of the gateway that an application sets: they would log the user in as another, or hide the session of the user. The
 * application never receives these cookies. It may delete them, which ends a login.
 */
export function dropReservedCookies(response: Response, exchange: Exchange, logger: Logger): Response {
  const { headers } = response
  if (!headers.has('set-cookie')) return response
  const fields = headers.all('set-cookie')
  const kept = fields.filter((field) => {
    const { name, value } = parseSetCookie(withoutLeadingEquals(field))
    if (value === '' || !(isManagementCookie(name) || exchange.isReservedCookie(name))) return true
    const entry = { name: name.slice(0, LONGEST_NAME), upstream: exchange.request.uri.origin, ...exchange.ids }
    logger.limited().warn(entry, EVENTS.COOKIE_REMOVED)
    return false
  })
  if (kept.length < fields.length) headers.set('Set-Cookie', kept)
  return response
}

/** Browsers send a cookie without a name, `=a=b`, as `a=b`. */
function withoutLeadingEquals(field: string): string {
  return field.replace(/^[\s=]+/, '')
}
