import { isContentPreserved } from '#contracts'
import { type Exchange, pageResponse, type Request, type Response, respond } from '#http'
import { sameOriginGoto } from '../browser/same-origin-goto.ts'

/** Whether a browser shows the response as a page. Requests of scripts or for images can not show a login page. */
export function isNavigation({ headers }: Request): boolean {
  const mode = headers.get('sec-fetch-mode')
  if (mode !== null && mode.toLowerCase() !== 'navigate') return false
  return headers.get('x-requested-with')?.toLowerCase() !== 'xmlhttprequest'
}

/** The response to an unauthenticated request that is no navigation; null for a navigation. */
export function notNavigable(request: Request, loginUri: string): Response | null {
  if (isNavigation(request)) return null
  const text = 'This request needs a login. Open a page of the application to log in.\n'
  return unauthorized(respond(401, { 'Cache-Control': 'no-store', 'Content-Type': 'text/plain' }, text), loginUri)
}

/**
 * The response to an unauthenticated request that is not redirected to the login page `loginUri`; null where it is. A redirect would
 * silently lose the content of the request.
 */
export function loginRequired(exchange: Exchange, loginUri: string): Response | null {
  const { request } = exchange
  const refusal = notNavigable(request, loginUri)
  if (refusal !== null || request.method === 'GET' || request.method === 'HEAD' || isContentPreserved(exchange))
    return refusal
  const form = sameOriginGoto(request.headers.get('referer') ?? '', exchange.originalUri)
  const goto = form ?? sameOriginGoto(exchange.originalUri.toString(), exchange.originalUri) ?? '/'
  const page = {
    title: 'Your session has ended',
    text: 'What you sent was not passed on. Log in and send it again.',
    link: { href: `${loginUri}?goto=${encodeURIComponent(goto)}`, label: 'Log in' },
  }
  return unauthorized(pageResponse(401, page), loginUri)
}

/** RFC 9110 section 15.5.2 requires a challenge; no registered scheme means a login page. */
function unauthorized(response: Response, loginUri: string): Response {
  response.headers.set('WWW-Authenticate', `Login uri="${loginUri.replace(/["\\]/g, encodeURIComponent)}"`)
  return response
}
