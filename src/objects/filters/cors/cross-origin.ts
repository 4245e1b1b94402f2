import { type Exchange, type Filter, type Handler, type Headers, isToken, Response, respond } from '#http'
import type { Environment } from '#schema'
import { recordDenied } from '../../lib/audit/decisions.ts'
import { normalOrigin } from './origin.ts'

/** Grants for some origins; header names are in lower case. */
export interface Policy {
  readonly origins: '*' | ReadonlySet<string>
  readonly methods: '*' | ReadonlySet<string>
  readonly headers: '*' | ReadonlySet<string>
  readonly exposed: string | null
  /** Seconds. */
  readonly maxAge: string | null
  readonly credentials: boolean
}

// WHATWG Fetch section 2.2.1: browsers send these without a preflight.
const SAFELISTED_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST'])

/** Why a request is refused; `rule` is the method or header that the policy does not accept. */
interface Refusal {
  readonly reason: string
  readonly rule?: string
}

const OTHER_ORIGIN: Refusal = { reason: 'no policy accepts the origin' }
const MALFORMED: Refusal = { reason: 'the preflight is malformed' }
const LONGEST_NAME = 60

/** Responds to preflights, adds grants to responses and rejects origins that no policy accepts. */
export function crossOrigin(policies: readonly Policy[], otherwise: Handler, env: Pick<Environment, 'name'>): Filter {
  const refuse = async (exchange: Exchange, { reason, rule }: Refusal = OTHER_ORIGIN): Promise<Response> => {
    recordDenied(exchange, env, reason, rule)
    return varying(await otherwise(exchange), 'Origin')
  }
  return async (exchange, next) => {
    const sent = exchange.request.headers.all('origin')
    const [origin] = sent
    if (origin === undefined) return withoutGrants(await next(exchange))
    const normal = origin === 'null' ? origin : normalOrigin(origin)
    if (sent.length > 1 || normal === null) return refuse(exchange)
    // Browsers also send Origin with same-origin requests, for example POST.
    if (normal === exchange.originalUri.origin) return withoutGrants(await next(exchange))
    const policy = policies.find(({ origins }) => origins === '*' || origins.has(normal))
    if (policy === undefined) return refuse(exchange)
    if (isPreflight(exchange)) {
      const answer = answerPreflight(policy, origin, exchange.request.headers)
      return answer instanceof Response ? answer : refuse(exchange, answer)
    }
    return withGrants(await next(exchange), policy, origin)
  }
}

function isPreflight({ request }: Exchange): boolean {
  return request.method === 'OPTIONS' && request.headers.has('access-control-request-method')
}

/** The response to a preflight, or the reason why the policy does not allow the requested method or headers. */
function answerPreflight(policy: Policy, origin: string, asked: Headers): Response | Refusal {
  const method = asked.get('access-control-request-method')?.trim() ?? ''
  const names = asked
    .all('access-control-request-headers')
    .flatMap((value) => value.split(','))
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '')
  const { methods, headers } = policy
  if (!isToken(method) || !names.every((name) => isToken(name))) return MALFORMED
  if (methods !== '*' && !methods.has(method) && !SAFELISTED_METHODS.has(method)) return refusalOf('method', method)
  const other = headers === '*' ? undefined : names.find((name) => !headers.has(name))
  if (other !== undefined) return refusalOf('request header', other)

  const response = respond(204)
  grantOrigin(response.headers, policy, origin)
  // Listed by name, since "*" covers neither Authorization nor requests with credentials.
  addList(response.headers, 'Access-Control-Allow-Methods', methods === '*' ? [method] : methods)
  addList(response.headers, 'Access-Control-Allow-Headers', headers === '*' ? names : headers)
  if (policy.maxAge !== null) response.headers.add('Access-Control-Max-Age', policy.maxAge)
  return varying(response, 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers')
}

function refusalOf(what: string, name: string): Refusal {
  return { reason: `the policy does not accept the ${what} of the preflight`, rule: name.slice(0, LONGEST_NAME) }
}

function addList(headers: Headers, name: string, values: Iterable<string>): void {
  const text = [...values].join(', ')
  if (text !== '') headers.add(name, text)
}

function withGrants(response: Response, policy: Policy, origin: string): Response {
  removeGrants(response.headers)
  grantOrigin(response.headers, policy, origin)
  if (policy.exposed !== null) response.headers.add('Access-Control-Expose-Headers', policy.exposed)
  return varying(response, 'Origin')
}

/** Adds Vary: a cache must not use the response for a page of another origin. */
function withoutGrants(response: Response): Response {
  removeGrants(response.headers)
  return varying(response, 'Origin')
}

function grantOrigin(headers: Headers, { origins, credentials }: Policy, origin: string): void {
  headers.add('Access-Control-Allow-Origin', origins === '*' ? '*' : origin)
  if (credentials) headers.add('Access-Control-Allow-Credentials', 'true')
}

/** Removes grants of the application: browsers reject responses with duplicate grants. */
function removeGrants(headers: Headers): void {
  headers.deleteWhere((name) => /^access-control-/i.test(name))
}

function varying(response: Response, names: string): Response {
  const { headers } = response
  const listed = headers.all('vary').flatMap((value) => value.toLowerCase().split(','))
  if (!listed.some((name) => name.trim() === 'origin' || name.trim() === '*')) headers.add('Vary', names)
  return response
}
