import { randomBytes } from 'node:crypto'
import { isLoginRedirect, markContentPreserved } from '#contracts'
import { Body, type Exchange, type Filter, type Handler, type Response, type Uri } from '#http'
import { isPlainObject } from '#json'
import type { Logger } from '#logging'
import type { Clock } from '#schema'
import { isOfOwnPage } from '../../lib/browser/own-page.ts'
import { sameOriginGoto } from '../../lib/browser/same-origin-goto.ts'
import { submittedForm } from '../../lib/browser/submitted-form.ts'

interface PreservationSettings {
  readonly maxBytes: number
  /** Milliseconds. */
  readonly lifetime: number
  readonly message: string
  readonly clock: Clock
  readonly logger: Logger
}

/** Content of a request in the session. */
interface PreservedContent {
  /** Of the request, decoded: the content is sent to no other. */
  readonly path: string
  readonly type: string | null
  /** In base64. */
  readonly content: string
  /** Milliseconds since the epoch. */
  readonly expires: number
}

/** Query parameter with the id of preserved content. */
const PARAMETER = '_pdp'
const SESSION_KEY = 'preserved content'
/** Requests of one session; the oldest is dropped. */
const MAX_PRESERVED = 3

/** Stores the content of a POST in the session while the browser is at a login page, and sends it again afterwards. */
export function preserveContent(settings: PreservationSettings): Filter {
  return async (exchange, next) => {
    const { method, uri } = exchange.request
    const id = removeId(uri)
    const visible = id === null ? exchange : exchange.withOriginalUri(withoutId(exchange.originalUri))
    if (id !== null && method === 'GET' && preservedFor(exchange, settings, id) !== undefined)
      return replayPage(settings, visible, id)
    // A replayed request is one of a page of this origin: the content of another site must not become that.
    if (method !== 'POST' || !isOfOwnPage(visible)) return next(visible)
    if (id !== null) restoreContent(settings, visible, id)
    return passOn(settings, visible, next)
  }
}

/** A page that posts to the same URL; the content is added when the request arrives. */
function replayPage({ message }: PreservationSettings, { originalUri }: Exchange, id: string): Response {
  const action = sameOriginGoto(withId(originalUri, id).toString(), originalUri) ?? '/'
  return submittedForm({ action, message })
}

function restoreContent(settings: PreservationSettings, exchange: Exchange, id: string): void {
  const preserved = preservedFor(exchange, settings, id)
  if (preserved === undefined) return
  const { [id]: _, ...others } = storedIn(exchange, settings)
  exchange.session.set(SESSION_KEY, others)
  const { request } = exchange
  request.body.cancel()
  request.body = Body.of(Buffer.from(preserved.content, 'base64'))
  request.headers.delete('transfer-encoding')
  request.headers.set('Content-Length', String(request.body.length))
  if (preserved.type === null) request.headers.delete('content-type')
  else request.headers.set('Content-Type', preserved.type)
}

/** The id is in the URL to which a login filter redirects the browser after the login. */
async function passOn(settings: PreservationSettings, exchange: Exchange, next: Handler): Promise<Response> {
  const { maxBytes, lifetime, clock, logger } = settings
  const { body, headers } = exchange.request
  const { length } = body
  if (length === null || length === 0 || length > maxBytes) {
    if (length !== 0) logger.debug({ length, ...exchange.ids }, 'content is too large to be preserved over a login')
    return next(exchange)
  }
  const content = Buffer.from(await body.read(maxBytes)).toString('base64')
  const id = randomBytes(16).toString('base64url')
  markContentPreserved(exchange)
  const response = await next(exchange.withOriginalUri(withId(exchange.originalUri, id)))
  if (!isLoginRedirect(response)) return response
  const preserved: PreservedContent = {
    path: exchange.originalUri.path,
    type: headers.get('content-type'),
    content,
    expires: clock.now() + lifetime,
  }
  const entries = [...Object.entries(storedIn(exchange, settings)), [id, preserved] as const].slice(-MAX_PRESERVED)
  exchange.session.set(SESSION_KEY, Object.fromEntries(entries))
  // A browser repeats the POST with its content after 307: the login page would receive it (RFC 9110 section 15.4.8).
  if (response.status === 307 || response.status === 308) response.status = 303
  return response
}

/** The content with the id, where it is that of a request to the same path. */
function preservedFor(exchange: Exchange, settings: PreservationSettings, id: string): PreservedContent | undefined {
  const stored = storedIn(exchange, settings)
  const preserved = Object.hasOwn(stored, id) ? stored[id] : undefined
  return preserved?.path === exchange.originalUri.path ? preserved : undefined
}

/** Preserved content of the session that has not expired. */
function storedIn({ existingSession }: Exchange, { clock }: PreservationSettings): Record<string, PreservedContent> {
  const stored = existingSession?.get(SESSION_KEY)
  if (!isPlainObject(stored)) return {}
  const now = clock.now()
  const isValid = (value: unknown) => isPlainObject(value) && (value['expires'] as number) > now
  return Object.fromEntries(Object.entries(stored).filter(([, value]) => isValid(value))) as unknown as Record<
    string,
    PreservedContent
  >
}

/** Removes the parameter from a URI; returns its value. */
function removeId(uri: Uri): string | null {
  const parts = (uri.rawQuery ?? '').split('&')
  const found = parts.find((part) => part.startsWith(`${PARAMETER}=`))
  if (found === undefined) return null
  const rest = parts.filter((part) => !part.startsWith(`${PARAMETER}=`)).join('&')
  uri.rawQuery = rest === '' ? null : rest
  return found.slice(PARAMETER.length + 1)
}

function withoutId(uri: Uri): Uri {
  const copy = uri.clone()
  removeId(copy)
  return copy
}

function withId(uri: Uri, id: string): Uri {
  const copy = withoutId(uri)
  copy.rawQuery = copy.rawQuery ? `${copy.rawQuery}&${PARAMETER}=${id}` : `${PARAMETER}=${id}`
  return copy
}
