import { callRest } from '#access-manager'
import type { AmService } from '#contracts'
import { type Exchange, type Response, respond } from '#http'
import type { Logger } from '#logging'
import { writeCookie } from '../session/session-cookie.ts'

/** Ends the session of a user at the access manager, with the user's own token. That it was over already is no failure. */
export async function endSession(
  amService: AmService,
  token: string,
  exchange: Exchange,
  logger: Logger,
): Promise<void> {
  const [cookieName, { family }] = await Promise.all([amService.cookieName(), amService.dialect()])
  const uri = amService.restUri('sessions')
  uri.rawQuery = '_action=logout'
  const { status } = await callRest(amService.handler, {
    method: 'POST',
    uri,
    resource: family === 'pingam' ? '3.1' : '2.0',
    headers: { [cookieName]: token },
    body: {},
    onBehalfOf: exchange,
  })
  if (status >= 500 || status === 403) logger.warn({ status }, 'the access manager did not end a session')
}

/** Takes the cookie of the access manager away from the browser; with the attributes that its name demands (threats B44). */
export function forgetCookie(response: Response, exchange: Exchange, name: string): Response {
  writeCookie(response, exchange, { name, path: '/', httpOnly: true, sameSite: 'LAX' }, name, '')
  return response
}

/** The page that follows a logout. */
export function landing(page: string): Response {
  return respond(302, { Location: page, 'Cache-Control': 'no-store' })
}
