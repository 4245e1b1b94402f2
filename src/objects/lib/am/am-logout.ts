import { callRest } from '#access-manager'
import { AccessManagerError, type AmService } from '#contracts'
import { type Exchange, type Response, respond } from '#http'
import type { Logger } from '#logging'
import { writeCookie } from '../sessions/session-cookie.ts'
import { EVENTS } from './log-events.ts'

/** Responses about a session that has ended before. */
const ENDED: ReadonlySet<number> = new Set([400, 401, 404])

/**
 * Ends the session of a user at the access manager, with the user's own token. A session that has already ended is no failure.
 * Rejects with an AccessManagerError where it may be valid still, so that no logout seems to have succeeded.
 */
export async function endSession(
  amService: AmService,
  token: string,
  exchange: Exchange,
  logger: Logger,
): Promise<void> {
  const [cookieName, { family }] = await Promise.all([amService.cookieName(), amService.dialect()])
  const uri = amService.restUri('sessions')
  uri.rawQuery = '_action=logout'
  const call = {
    method: 'POST',
    uri,
    resource: family === 'pingam' ? '3.1' : '2.0',
    headers: { [cookieName]: token },
    body: {},
    onBehalfOf: exchange,
  } as const
  const { status, json } = await callRest(amService.handler, call, amService.callTimeout)
  amService.sessions.evict(token)
  // Another attempt would be forbidden too.
  if (status === 403) logger.limited(status).warn({ status }, EVENTS.SESSION_NOT_ENDED)
  else if (json === null || (status !== 200 && !ENDED.has(status))) {
    // OpenAM fails in this way for tokens of another OpenAM, which have no session.
    if ((await amService.sessions.find(token)) === null) return
    throw new AccessManagerError('unavailable', `sessions: expected the end of a session, got the status ${status}`)
  } else if (family === 'openam') await warnIfStillAccepted(amService, token, logger)
}

/** Client-based sessions of OpenAM stay valid after logout, unless the server has a list of ended sessions. */
async function warnIfStillAccepted(amService: AmService, token: string, logger: Logger): Promise<void> {
  try {
    if ((await amService.sessions.find(token)) === null) return
  } catch {
    return
  }
  logger.limited().warn(EVENTS.SESSION_VALID_AFTER_LOGOUT)
}

/**
 * Deletes the cookie of the access manager in the browser, with the attributes that its name demands (threats B44) and for each domain
 * it may have been set for: to a browser, the same name without a domain is another cookie.
 */
export async function deleteCookie(
  amService: AmService,
  response: Response,
  exchange: Exchange,
  name: string,
): Promise<Response> {
  const cookie = { name, path: '/', httpOnly: true, sameSite: 'LAX' } as const
  writeCookie(response, exchange, cookie, name, '')
  if (name.startsWith('__Host-')) return response
  const host = `.${exchange.originalUri.host}`.toLowerCase()
  for (const given of await amService.cookieDomains()) {
    const domain = given.replace(/^\./, '').toLowerCase()
    if (host.endsWith(`.${domain}`)) writeCookie(response, exchange, { ...cookie, domain }, name, '')
  }
  return response
}

export function redirectTo(page: string): Response {
  return respond(302, { Location: page, 'Cache-Control': 'no-store' })
}
