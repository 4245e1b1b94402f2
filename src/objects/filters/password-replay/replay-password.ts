import { MatchError } from '@identity-gateway/regex'
import { matches } from '#contracts'
import { Entity, type Exchange, type Filter, type Handler, type Response } from '#http'
import type { Logger } from '#logging'
import type { Condition, Pattern } from '#schema'
import { type BuildRequest, cancelStreamed } from '../../lib/messages/static-request.ts'
import { EVENTS } from '../log-events.ts'

interface ReplaySettings {
  readonly loginPage: Condition | null
  readonly marker: Pattern | null
  readonly extractions: readonly { readonly name: string; readonly pattern: Pattern }[]
  readonly credentials: Filter | null
  /** Decrypts header fields of the request. */
  readonly decrypt: ((exchange: Exchange) => Promise<void>) | null
  readonly buildRequest: BuildRequest
  readonly logger: Logger
}

/** Types of content that can be a login page; others, such as event streams, are passed on without a search. */
const PAGE = /^(?:text\/(?:html|plain)|application\/xhtml\+xml)\s*(?:;|$)/i

/** Sends the login request in place of a request for the login page, or after a response that is the login page. */
export function replayPassword(settings: ReplaySettings): Filter {
  const { loginPage, marker, extractions, logger } = settings
  return async (exchange, next) => {
    const isLoginPage = loginPage !== null && (await matches(loginPage, exchange, null, logger))
    if (isLoginPage && extractions.length === 0) return logIn(settings, exchange, next)
    if (!isLoginPage && marker === null) return next(exchange)
    const response = await next(exchange)
    const page = isLoginPage || isPage(response) ? await textOf(response, exchange) : null
    const texts = page === null ? null : search(settings, page, isLoginPage, exchange)
    if (texts === null) {
      if (isLoginPage) logger.debug(exchange.ids, 'the login page can not be searched: it is passed on')
      return response
    }
    exchange.attributes['extracted'] = texts
    return logIn(settings, exchange, next)
  }
}

/** The extracted texts of a login page; null for another page, and for one that is too long for a pattern. */
function search(
  { marker, extractions, logger }: ReplaySettings,
  page: string,
  isLoginPage: boolean,
  exchange: Exchange,
): Record<string, string | null> | null {
  try {
    if (!isLoginPage && marker?.find(page) === null) return null
    return extracted(page, extractions)
  } catch (error) {
    if (!(error instanceof MatchError)) throw error
    logger.limited().warn({ ...exchange.ids, problem: error.message }, EVENTS.PAGE_NOT_SEARCHED)
    return null
  }
}

/** The login request with the credentials of the user. A failed login is not repeated. */
async function logIn(settings: ReplaySettings, exchange: Exchange, next: Handler): Promise<Response> {
  const { credentials, decrypt, buildRequest } = settings
  const send: Handler = async (inside) => {
    await decrypt?.(inside)
    const request = await buildRequest(inside)
    cancelStreamed(inside.request.body)
    return next(inside.withRequest(request))
  }
  return credentials === null ? send(exchange) : credentials(exchange, send)
}

function isPage({ headers }: Response): boolean {
  const type = headers.get('content-type')
  return type === null || PAGE.test(type)
}

/** The text of a response; null where it exceeds the limits or can not be decoded. The response can be passed on in both cases. */
async function textOf(response: Response, exchange: Exchange): Promise<string | null> {
  if (!(await response.body.bufferIfFits(exchange.storage))) return null
  try {
    return new Entity(response, 'response').string
  } catch {
    // Over the limits, or in a content coding that can not be decoded.
    return null
  }
}

/** Texts by name, null where a pattern is not found. */
function extracted(page: string, extractions: ReplaySettings['extractions']): Record<string, string | null> {
  const found: Record<string, string | null> = Object.create(null)
  for (const { name, pattern } of extractions) found[name] = pattern.find(page)?.groups[1] ?? null
  return found
}
