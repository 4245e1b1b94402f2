import { callRest } from '#access-manager'
import type { AmService } from '#contracts'
import type { Exchange, Response } from '#http'
import { formatSetCookie, respond } from '#http'
import type { Logger } from '#logging'

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
  if (status >= 500) logger.warn({ status }, 'the access manager could not end a session')
}

/** Takes a cookie away from the browser. */
export function forgetCookie(response: Response, cookie: { name: string; path?: string; domain?: string }): Response {
  const { name, path = '/', domain } = cookie
  const gone = { name, value: '', path, maxAge: 0, expires: 'Thu, 01 Jan 1970 00:00:00 GMT', httpOnly: true }
  response.headers.add('Set-Cookie', formatSetCookie(domain === undefined ? gone : { ...gone, domain }))
  return response
}

/** The page that follows a logout. */
export function landing(page: string): Response {
  return respond(302, { Location: page, 'Cache-Control': 'no-store' })
}
