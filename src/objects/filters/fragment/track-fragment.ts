import { isLoginRedirect } from '#contracts'
import { type Exchange, type Filter, parseForm, type Response, respond } from '#http'
import { hostCookieName } from '../../lib/browser/host-cookie.ts'
import { isOfOwnPage } from '../../lib/browser/own-page.ts'
import { sameOriginGoto } from '../../lib/browser/same-origin-goto.ts'
import { submittedForm } from '../../lib/browser/submitted-form.ts'
import { isNavigation } from '../../lib/login/login-required.ts'
import { type SessionCookieSettings, takeCookies, writeCookie } from '../../lib/sessions/session-cookie.ts'
import { formatPending, isWebPage, type PendingFragment, pendingIn, validFragment } from './fragment-cookie.ts'

interface FragmentSettings {
  /** Path to which the page posts the fragment. */
  readonly endpoint: string
  readonly message: string
  readonly cookie: SessionCookieSettings
}

/** Seconds that a login may take. */
const LIFETIME = 600
const MAX_FORM_BYTES = 8_192
const FIELD = 'fragment'
const READ_FRAGMENT = `form.elements.${FIELD}.value = location.hash;`

/** Keeps the fragment of a page over its login: browsers do not send it, and lose it in the redirects of the login. */
export function trackFragment(settings: FragmentSettings): Filter {
  const { endpoint, cookie } = settings
  return async (exchange, next) => {
    const { request } = exchange
    const ours = nameFor(exchange, cookie)
    const pending = pendingIn(request, ours)
    takeCookies(request, (name) => name === cookie.name || name === ours)
    if (request.uri.path === endpoint) return capture(settings, pending, exchange)
    const response = await next(exchange)
    if (request.method !== 'GET' || !isNavigation(request)) return response
    if (isLoginRedirect(response)) return pending === null ? askForFragment(settings, exchange, response) : response
    if (pending === null || pending.fragment === null || !isReturn(pending.page, exchange) || !isPage(response))
      return response
    response.body.cancel()
    return restore(settings, exchange, `${pending.page}${pending.fragment}`)
  }
}

/** A page that posts the fragment, in place of the redirect to the login page. */
function askForFragment(
  { endpoint, message, cookie }: FragmentSettings,
  exchange: Exchange,
  login: Response,
): Response {
  const location = login.headers.get('location')
  const text = formatPending({ page: pageOf(exchange), location, fragment: null })
  if (location === null || text === null || !isWebPage(location)) return login
  const page = submittedForm({ action: endpoint, message, prepare: READ_FRAGMENT, fields: [FIELD] })
  for (const field of login.headers.all('set-cookie')) page.headers.add('Set-Cookie', field)
  writeCookie(page, exchange, cookie, nameFor(exchange, cookie), text, LIFETIME)
  return page
}

/** Stores the posted fragment, and continues with the login. */
async function capture(
  { cookie }: FragmentSettings,
  pending: PendingFragment | null,
  exchange: Exchange,
): Promise<Response> {
  const { request } = exchange
  if (request.method !== 'POST') return respond(405, { Allow: 'POST', 'Cache-Control': 'no-store' })
  const location = pending?.location ?? null
  // Another site, or an attacker with a cookie of the domain, must not choose where the browser goes.
  if (pending === null || location === null || !isOfOwnPage(exchange))
    return respond(400, {}, 'No login is in progress.\n')
  const [posted] = parseForm(Buffer.from(await request.body.read(MAX_FORM_BYTES)).toString('latin1'))[FIELD] ?? []
  const fragment = validFragment(posted ?? '')
  const response = respond(302, { Location: location, 'Cache-Control': 'no-store' })
  const text = fragment === null ? null : formatPending({ page: pending.page, location: null, fragment })
  writeCookie(response, exchange, cookie, nameFor(exchange, cookie), text ?? '', LIFETIME)
  return response
}

function restore({ cookie }: FragmentSettings, exchange: Exchange, location: string): Response {
  const response = respond(302, { Location: location, 'Cache-Control': 'no-store' })
  writeCookie(response, exchange, cookie, nameFor(exchange, cookie), '')
  return response
}

/**
 * The name of the cookie, with the prefix `__Host-` over TLS: its content decides where the browser goes, and another host of the
 * domain could set one for a longer path. Browsers refuse the prefix with a domain, or with another path.
 */
function nameFor(exchange: Exchange, { name, domain, path, secure }: SessionCookieSettings): string {
  const canBeOfHost = domain === undefined && path === '/' && secure !== false
  return canBeOfHost && !/^__(?:Host|Secure)-/.test(name) ? hostCookieName(exchange, name) : name
}

/** Whether the request is for the page; a login filter may have added a query parameter. */
function isReturn(page: string, exchange: Exchange): boolean {
  const here = pageOf(exchange)
  return here === page || here.startsWith(`${page}${page.includes('?') ? '&' : '?'}`)
}

/** URL of the request. */
function pageOf({ originalUri }: Exchange): string {
  return sameOriginGoto(originalUri.toString(), originalUri) ?? '/'
}

function isPage({ status }: Response): boolean {
  return status >= 200 && status < 300
}
