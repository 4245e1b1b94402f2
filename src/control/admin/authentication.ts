import { join } from 'node:path'
import { type AdminCaller, AdminCallerContext } from '#contracts'
import type { ApiSecurity } from '#crest'
import {
  type Exchange,
  equalsConstantTime,
  type Filter,
  type Handler,
  isCrossOrigin,
  type Request,
  type Response,
} from '#http'
import { readIfPresent } from '#instance'
import { ADMIN_USER } from './admin-caller.ts'
import { refusal } from './recorded-refusals.ts'
import { guessOf, type LogInAttempts } from './studio/log-in-attempts.ts'
import { sessionIdsIn } from './studio/session-cookie.ts'
import type { StudioSessions } from './studio/studio-sessions.ts'

/** Credentials of the management API. */
export interface AdminCredentials {
  /** The admin password; null where none is configured. Read on each call, so that a changed file takes effect at once. */
  password(): string | null
}

const SECRET_ID = 'gateway.admin.password'
const LONGEST_PASSWORD = 4096

/** The admin credentials as security schemes of OpenAPI documents. */
export const ADMIN_SECURITY: ApiSecurity = {
  schemes: {
    basic: { type: 'http', scheme: 'basic', description: 'The user admin with the admin password.' },
    bearer: { type: 'http', scheme: 'bearer', description: 'The admin password.' },
  },
  oneOf: ['basic', 'bearer'],
}

/** The password from the file `secrets/gateway.admin.password`, otherwise from the environment (decisions 3). */
export function adminCredentials(secrets: string, env: Readonly<Record<string, string | undefined>>): AdminCredentials {
  return {
    password: () => {
      const fromFile = readPassword(join(secrets, SECRET_ID))
      const found = fromFile ?? env['GATEWAY_ADMIN_PASSWORD'] ?? null
      return found === '' ? null : found
    },
  }
}

function readPassword(path: string): string | null {
  const text = readIfPresent(path)?.toString('utf8') ?? null
  return text?.slice(0, LONGEST_PASSWORD).replace(/\r?\n$/, '') ?? null
}

/** Authentication of callers of the management API. */
interface Authentication {
  readonly credentials: AdminCredentials
  readonly mode: 'PRODUCTION' | 'DEVELOPMENT'
  /** Sessions of the Studio; null without it. */
  readonly sessions?: StudioSessions | null
  /** Wrong credentials; null for no limit. */
  readonly attempts?: LogInAttempts | null
  /** Paths that loopback clients read without credentials. */
  isOpenToLoopback(path: string): boolean
}

/** Whether DEVELOPMENT mode accepts a caller without credentials: on loopback, and no password is configured. */
export function isOpenTo(
  { client }: Exchange,
  { credentials, mode }: Pick<Authentication, 'credentials' | 'mode'>,
): boolean {
  return mode === 'DEVELOPMENT' && isLoopback(client.remoteAddress) && credentials.password() === null
}

/**
 * Accepts requests with the admin credentials or with a session of the Studio; where no password is configured, the mode
 * decides (decisions 3). Sets the caller.
 */
export function authenticate(authentication: Authentication): Filter {
  const { credentials, isOpenToLoopback, sessions = null, attempts = null } = authentication
  return async (exchange, next) => {
    const { request, client } = exchange
    const onward = (caller: AdminCaller) => next(exchange.with(AdminCallerContext, caller))
    if (isLoopback(client.remoteAddress) && isOpenToLoopback(request.uri.path)) return next(exchange)
    if (isOpenTo(exchange, authentication)) return onward({ userId: null, authentication: 'loopback' })
    const hasCredentials = request.headers.has('authorization')
    if (hasCredentials) {
      const outcome = await compared(exchange, { credentials, attempts })
      if (outcome.scheme !== null) return onward({ userId: ADMIN_USER, authentication: outcome.scheme })
      if (outcome.retryAfter > 0) return tooManyAttempts(outcome.retryAfter)
    }
    const ids = sessions === null || hasCredentials ? [] : sessionIdsIn(exchange)
    if (ids.length > 0 && sessions !== null) {
      // Browsers send cookies to every port of a host, also with reads.
      if (isCrossOrigin(request)) return refusal(403, 'the session is not accepted from pages of another origin')
      const caller = callerOf(sessions, ids)
      if (caller !== null) return onward(caller)
    }
    return refusal(401, 'this needs the admin credentials', { 'WWW-Authenticate': challengeFor(request) })
  }
}

/**
 * Passes requests with the admin credentials to the handler. Those with others are decided by `filtered`, whose filter may accept
 * credentials of its own: only those that it does not pass on count as wrong. Beyond the limit the filter decides first, so that its
 * credentials do not wait.
 */
export function acceptCredentials(
  { credentials, attempts }: { readonly credentials: AdminCredentials; readonly attempts: LogInAttempts },
  handler: Handler,
  filtered: (next: Handler) => Handler,
): Handler {
  return async (exchange) => {
    const onward = (scheme: 'basic' | 'bearer') =>
      handler(exchange.with(AdminCallerContext, { userId: ADMIN_USER, authentication: scheme }))
    const isLimited = attempts.isLimited(exchange.client.remoteAddress)
    const early = isLimited ? null : await compared(exchange, { credentials, attempts })
    if (early !== null && early.scheme !== null) return onward(early.scheme)
    let isPassed = false
    const response = await filtered((passed) => {
      isPassed = true
      return handler(passed)
    })(exchange)
    if (isPassed) {
      early?.forgive()
      return response
    }
    const outcome = early ?? (await compared(exchange, { credentials, attempts }))
    if (outcome.scheme === null && outcome.retryAfter === 0) return response
    response.body.cancel()
    return outcome.scheme === null ? tooManyAttempts(outcome.retryAfter) : onward(outcome.scheme)
  }
}

interface Outcome {
  /** The scheme of the right credentials; null for wrong ones, and for those that were not compared. */
  readonly scheme: 'basic' | 'bearer' | null
  /** Milliseconds until another try where they were not compared. */
  readonly retryAfter: number
  /** Wrong ones are not a guess: a filter accepts them. */
  forgive(): void
}

/** Compares credentials when it is their turn, and counts wrong ones. */
async function compared(
  exchange: Exchange,
  { credentials, attempts }: { readonly credentials: AdminCredentials; readonly attempts: LogInAttempts | null },
): Promise<Outcome> {
  const { remoteAddress } = exchange.client
  const given = exchange.request.headers.all('authorization')
  const guess = () => guessOf(given, credentials.password())
  if (attempts?.isKnown(remoteAddress, guess) === true) return WRONG_AGAIN
  // Requests of one turn of the event loop are counted before the next is compared.
  if (attempts?.isLimited(remoteAddress) === true) {
    const retryAfter = await attempts.turn(remoteAddress, exchange.signal)
    if (retryAfter > 0) return { ...WRONG_AGAIN, retryAfter }
  }
  const password = credentials.password()
  const scheme = password === null ? null : presented(exchange, password)
  if (scheme !== null) return { ...WRONG_AGAIN, scheme }
  const wrong = guess()
  attempts?.failed(remoteAddress, wrong)
  return { ...WRONG_AGAIN, forgive: () => attempts?.forgive(remoteAddress, wrong) }
}

const WRONG_AGAIN: Outcome = { scheme: null, retryAfter: 0, forgive: () => {} }

function tooManyAttempts(delay: number): Response {
  const headers = { 'Retry-After': String(Math.ceil(delay / 1000)) }
  return refusal(429, 'too many requests of this address wait after wrong credentials; try again later', headers)
}

function callerOf(sessions: StudioSessions, ids: readonly string[]): AdminCaller | null {
  const id = ids.find((one) => sessions.find(one) !== null)
  const session = id === undefined ? null : sessions.use(id)
  if (session === null) return null
  const onSessionEnd = (callback: () => void) => sessions.watch(session, callback)
  return { userId: ADMIN_USER, authentication: 'studio', onSessionEnd }
}

/** Browsers show a dialog for Basic; for requests of scripts the page itself asks for the password. */
function challengeFor({ headers }: Request): string {
  const mode = headers.get('sec-fetch-mode')
  if (mode !== null && mode !== 'navigate') return 'Bearer realm="IdentityGateway"'
  return 'Basic realm="IdentityGateway", charset="UTF-8"'
}

/** The scheme of the credentials: Basic with the user `admin`, or Bearer; exactly one Authorization header. */
function presented({ request }: Exchange, password: string): 'basic' | 'bearer' | null {
  const headers = request.headers.all('authorization')
  const [scheme = '', value = '', ...more] = (headers.length === 1 ? (headers[0] as string) : '').split(' ')
  if (more.length > 0 || value === '') return null
  if (scheme.toLowerCase() === 'bearer') return equalsConstantTime(value, password) ? 'bearer' : null
  if (scheme.toLowerCase() !== 'basic') return null
  return equalsConstantTime(Buffer.from(value, 'base64').toString('utf8'), `${ADMIN_USER}:${password}`) ? 'basic' : null
}

/** Whether an address is a loopback address. */
export function isLoopback(address: string): boolean {
  return address === '::1' || /^127\.\d+\.\d+\.\d+$/.test(address)
}
