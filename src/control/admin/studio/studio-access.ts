import { crestError } from '#crest'
import { type Exchange, type Handler, Response } from '#http'
import type { Logger } from '#logging'
import type { Clock } from '#schema'
import type { AdminCredentials } from '../authentication.ts'
import { SESSION, type SessionEndpoint, sessionEndpoint } from './session-endpoint.ts'
import { studioPages } from './studio-pages.ts'
import { type SessionLimits, StudioSessions } from './studio-sessions.ts'

/** Path to which a browser navigates to be logged in by `adminProtection`. */
const LOGIN = '/api/studio/login'

/** A page of the Studio, relative to its root; without dot segments, which browsers also read where they are escaped. */
const PAGE = /^(?!.*(?:^|\/)(?:\.|%2e){1,2}(?:[/?]|$))[a-z0-9._~%!$&'()*+,;=:@?-][a-z0-9._~/%!$&'()*+,;=:@?-]{0,1000}$/i

/** Input of the Studio on the management connector. */
interface StudioInput {
  readonly limits: SessionLimits
  readonly credentials: AdminCredentials
  readonly mode: 'PRODUCTION' | 'DEVELOPMENT'
  readonly isProtected: boolean
  /** Folder of the built pages. */
  readonly pages: string
  readonly prefix: string
  readonly logger: Logger
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
}

/** Sessions of the Studio, the endpoint that opens and ends them, and the pages. */
export interface StudioAccess {
  readonly sessions: StudioSessions
  readonly session: SessionEndpoint
  readonly pages: Handler
}

export function openStudio(input: StudioInput): StudioAccess {
  const sessions = new StudioSessions({ ...input, password: () => input.credentials.password() })
  const { pages: directory, prefix, logger } = input
  const pages = studioPages({ directory, prefix, logger })
  return { sessions, session: sessionEndpoint({ ...input, sessions }), pages }
}

/** Whether a path is that of the session, which is served without credentials. */
export function isSessionPath(rawPath: string): boolean {
  return rawPath === SESSION || rawPath.startsWith(`${SESSION}/`)
}

export function isLoginPath(rawPath: string): boolean {
  return rawPath === LOGIN
}

/** Back to the Studio, once the authentication of the connector has let the browser through. */
export function studioLogin({ request }: Exchange): Response {
  const { method } = request
  if (method !== 'GET' && method !== 'HEAD') {
    return crestError(405, `${method} is not allowed here; there are GET, HEAD`, { Allow: 'GET, HEAD' })
  }
  const page = request.queryParams['page']?.[0] ?? ''
  if (page !== '' && !PAGE.test(page)) return crestError(400, 'page: expected a path below /studio/, such as routes/a')
  // Relative, so that a prefix stays.
  return new Response(303, { headers: { Location: `../../studio/${page}`, 'Cache-Control': 'no-store' } })
}
