import { type Action, type Call, commonRest, Refusal, type Singleton } from '#crest'
import { type Exchange, equalsConstantTime, type Handler } from '#http'
import { isPlainObject, type JsonObject } from '#json'
import type { Logger } from '#logging'
import type { Clock } from '#schema'
import { EVENTS } from '../../log-events.ts'
import { ADMIN_USER } from '../admin-caller.ts'
import { ADMIN_DESCRIPTIONS } from '../admin-descriptions.ts'
import { type AdminCredentials, isOpenTo } from '../authentication.ts'
import { recordRefusal } from '../recorded-refusals.ts'
import { guessOf, LogInAttempts } from './log-in-attempts.ts'
import { sessionCookie, sessionIdsIn } from './session-cookie.ts'
import type { StudioSessions } from './studio-sessions.ts'

/** Path of the session. */
export const SESSION = '/api/studio/session'

/** Dependencies of the session endpoint. */
interface SessionInput {
  readonly sessions: StudioSessions
  readonly credentials: AdminCredentials
  readonly mode: 'PRODUCTION' | 'DEVELOPMENT'
  /** Whether a filter of admin.json authenticates instead of the admin password. */
  readonly isProtected: boolean
  readonly logger: Logger
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
}

/** The session endpoint: served without credentials. */
export interface SessionEndpoint {
  readonly endpoint: Singleton
  readonly handler: Handler
}

/** Set by actions, for the response. */
type CookieChanges = WeakMap<Exchange, string>

/** The session of the Studio: state, log-in and log-out. */
export function sessionEndpoint(input: SessionInput): SessionEndpoint {
  const cookies: CookieChanges = new WeakMap()
  const attempts = new LogInAttempts(input.clock)
  const endpoint: Singleton = {
    kind: 'singleton',
    description: ADMIN_DESCRIPTIONS.endpoints.session,
    // A read is no use of the session, so that a page may watch its end.
    read: async ({ exchange }) => ({ id: 'session', revision: null, content: stateOf(exchange, input) }),
    actions: { login: loginAction(input, attempts, cookies), logout: logoutAction(input, cookies) },
  }
  const serve = commonRest(endpoint, { base: SESSION })
  return {
    endpoint,
    handler: async (exchange) => {
      const response = await serve(exchange)
      const cookie = cookies.get(exchange)
      if (cookie !== undefined) response.headers.add('Set-Cookie', cookie)
      return response
    },
  }
}

function loginAction(input: SessionInput, attempts: LogInAttempts, cookies: CookieChanges): Action {
  return {
    ...ADMIN_DESCRIPTIONS.actions.login,
    run: async (call, { body }) => {
      const { exchange } = call
      if (input.isProtected) return new Refusal(409, 'the filter adminProtection logs in; see /api/studio/login')
      if (isOpenTo(exchange, input)) return { _id: 'session', ...stateOf(exchange, input) }
      const { username, password } = isPlainObject(body) ? body : {}
      if (typeof username !== 'string' || typeof password !== 'string') {
        return new Refusal(400, 'the body: expected { "username": "admin", "password": "..." }')
      }
      const client = exchange.client.remoteAddress
      const guess = () => guessOf([username, password], input.credentials.password())
      if (attempts.isKnown(client, guess)) return refused(call, input)
      const delay = attempts.isLimited(client) ? await attempts.turn(client, exchange.signal) : 0
      if (delay > 0) return tooManyAttempts(exchange, delay)
      // Both are compared in any case, so that the time does not depend on the user name.
      const [isAdmin, isPassword] = [equalsConstantTime(username, ADMIN_USER), input.sessions.verify(password)]
      if (!isAdmin || !isPassword) {
        attempts.failed(client, guess())
        return refused(call, input)
      }
      const id = input.sessions.open(password)
      attempts.succeeded(client)
      closeCurrent(exchange, input)
      cookies.set(exchange, sessionCookie(exchange, id))
      log(exchange, input.logger, 'logged in to the Studio')
      return { _id: 'session', ...open(input, id) }
    },
  }
}

function logoutAction(input: SessionInput, cookies: CookieChanges): Action {
  return {
    ...ADMIN_DESCRIPTIONS.actions.logout,
    run: async ({ exchange }) => {
      closeCurrent(exchange, input)
      cookies.set(exchange, sessionCookie(exchange, null))
      return null
    },
  }
}

function tooManyAttempts(exchange: Exchange, delay: number): Refusal {
  const seconds = String(Math.ceil(delay / 1000))
  const message = `too many log-ins wait after failed ones; try again in ${seconds} s`
  recordRefusal(exchange, message)
  return new Refusal(429, message, { headers: { 'Retry-After': seconds } })
}

function refused({ exchange }: Call, { credentials, logger }: SessionInput): Refusal {
  const { remoteAddress: client } = exchange.client
  logger.limited(client).warn({ client, ...exchange.ids }, EVENTS.STUDIO_LOGIN_FAILED)
  const message =
    credentials.password() === null
      ? 'no admin password is configured; put one in secrets/gateway.admin.password'
      : 'the user or the password is wrong'
  recordRefusal(exchange, message)
  // Browsers show their own dialog for Basic.
  return new Refusal(401, message, { headers: { 'WWW-Authenticate': 'Bearer realm="IdentityGateway"' } })
}

function stateOf(exchange: Exchange, input: SessionInput): JsonObject {
  if (input.isProtected) return { login: 'adminProtection', authenticated: null, userId: null, expires: null }
  if (isOpenTo(exchange, input)) return { login: 'none', authenticated: true, userId: null, expires: null }
  const id = sessionIdsIn(exchange).find((one) => input.sessions.find(one) !== null)
  return id === undefined ? NOT_AUTHENTICATED : open(input, id)
}

const NOT_AUTHENTICATED: JsonObject = { login: 'password', authenticated: false, userId: null, expires: null }

function open({ sessions, clock }: SessionInput, id: string): JsonObject {
  const session = sessions.find(id)
  if (session === null) return NOT_AUTHENTICATED
  const expires = new Date(clock.now() + sessions.remaining(session)).toISOString()
  return { login: 'password', authenticated: true, userId: ADMIN_USER, expires }
}

function closeCurrent(exchange: Exchange, { sessions, logger }: SessionInput): void {
  // Also while the password can not be read, so that no user has to stay logged in.
  const closed = sessionIdsIn(exchange).filter((id) => sessions.close(id))
  if (closed.length > 0) log(exchange, logger, 'logged out of the Studio')
}

function log({ client, ids }: Exchange, logger: Logger, message: string): void {
  logger.info({ user: ADMIN_USER, client: client.remoteAddress, ...ids }, message)
}
