import { createHmac } from 'node:crypto'
import { FilterKind, HandlerKind } from '#contracts'
import {
  type Exchange,
  equalsConstantTime,
  type Filter,
  type Handler,
  parseSetCookie,
  type Response,
  respond,
  SAFE_METHODS,
  type Session,
} from '#http'
import { boolean, config, defineType, type Environment, ref, string, token } from '#schema'
import { recordDenied } from '../../lib/audit/decisions.ts'
import { isOfOwnPage } from '../../lib/browser/own-page.ts'
import { reportHeader } from '../../lib/messages/header-fields.ts'
import { EVENTS as LIB_EVENTS } from '../../lib/messages/log-events.ts'

/** Passes on requests with unsafe methods only with a token that other sites can not read. */
export const CsrfFilter = defineType({
  name: 'CsrfFilter',
  kind: FilterKind,
  summary: 'Rejects cross-site request forgery by a token.',
  diverts: { failureHandler: [] },
  events: [LIB_EVENTS.HEADER_LEFT_OUT],
  config: {
    cookieName: config(string({ nonEmpty: true })).meta({
      description: 'Name of the session cookie: that of the gateway, of the access manager or of the application.',
    }),
    headerName: config(token('a header name'))
      .default('X-CSRF-Token')
      .meta({ description: 'Header with the token, in responses and in later requests.' }),
    excludeSafeMethods: config(boolean())
      .default(true)
      .meta({ description: 'Whether GET, HEAD and OPTIONS need no token.' }),
    failureHandler: ref(HandlerKind).optional().meta({
      description: 'Handles requests without the valid token; 403 by default. The response has the token.',
    }),
  },
  check: ({ headerName }, report) => reportHeader(headerName, '', '/headerName', report),
  create: (config, env) => csrfProtection(config, env),
})

interface Settings {
  readonly cookieName: string
  readonly headerName: string
  readonly excludeSafeMethods: boolean
  readonly failureHandler?: Handler | undefined
}

/** A request without a session has none that could be misused, and passes. */
function csrfProtection(
  { cookieName, headerName, excludeSafeMethods, failureHandler }: Settings,
  env: Pick<Environment, 'name'>,
): Filter {
  const refused = failureHandler ?? (async () => respond(403))
  return async (exchange, next) => {
    const own = exchange.existingSession?.inCookie?.(cookieName) ?? []
    const keys = own.length === 0 ? cookiesOf(exchange, cookieName) : idsOf(own)
    const isOpen = keys.length === 0 || (excludeSafeMethods && isSafe(exchange))
    const passes = isOpen || hasToken(exchange, headerName, keys)
    if (!passes) recordDenied(exchange, env, 'no valid CSRF token')
    const response = await (passes ? next(exchange) : refused(exchange))
    const current = own.length === 0 ? cookiesAfter(response, cookieName, keys) : idsOf(own)
    if (current.length > 0) response.headers.set(headerName, tokenOf(current))
    return response
  }
}

/**
 * Pages of any site may open WebSocket connections with the cookies of the user, and read and write them. They can not send the
 * token, so the origin of the page decides.
 */
function isSafe(exchange: Exchange): boolean {
  const { method, headers } = exchange.request
  return SAFE_METHODS.has(method) && (!headers.has('upgrade') || isOfOwnPage(exchange))
}

/** The ids of sessions of the gateway: a cookie that contains its session is another one after each change. */
function idsOf(sessions: readonly Session[]): readonly string[] {
  return sessions.flatMap((session) => (session.isEmpty || session.id === undefined ? [] : [session.id]))
}

/** The values of the session cookie; a browser sends several where they were set for several paths. */
function cookiesOf(exchange: Exchange, cookieName: string): readonly string[] {
  return (exchange.request.cookies[cookieName] ?? []).map(({ value }) => value)
}

/** The values of the cookie after a response; none where which of several it replaces is known to the browser only. */
function cookiesAfter(response: Response, cookieName: string, sent: readonly string[]): readonly string[] {
  const set = response.headers.all('set-cookie').map(parseSetCookie)
  const last = set.findLast(({ name, value }) => name === cookieName && value !== '')
  if (last === undefined) return sent
  return sent.length > 1 ? [] : [last.value]
}

function hasToken(exchange: Exchange, headerName: string, keys: readonly string[]): boolean {
  const [sent, ...others] = exchange.request.headers.all(headerName)
  if (sent === undefined || others.length > 0) return false
  return equalsConstantTime(sent, tokenOf(keys))
}

/**
 * The id of the gateway's session is the key, or the session cookie itself: an attacker who has it needs no forged request, and every gateway
 * derives the same token from it. With several cookies all are the key: another host of the domain may have set one of them, whose
 * token it knows.
 */
function tokenOf(keys: readonly string[]): string {
  return createHmac('sha256', keys.join(';')).update('csrf token').digest('base64url')
}
