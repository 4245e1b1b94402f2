import type { ClientRegistration } from '#contracts'
import { type Exchange, type Response, respond } from '#http'
import { loginSecrets, OpenIdError, stateOfJwtResponse } from '#openid'
import { sameOriginGoto } from '../../lib/goto/same-origin-goto.ts'
import { arrival } from '../../lib/sso/arrival.ts'
import { loginRounds } from '../../lib/sso/login-rounds.ts'
import { checkAcr, maxAgeOf } from './authorization-parameters.ts'
import { begunLogins, isPosted } from './begun-logins.ts'
import { LoginRequestError } from './login-failure.ts'
import { believed, clientOf, type LoginFlow, type LoginSettings, queryOf, redirect } from './login-flow.ts'
import type { BegunLogin, LoginMemory } from './login-memory.ts'
import { postedAnswers, seeCallback } from './posted-answers.ts'

/** A form with a code or a JWT is small. */
const LARGEST_FORM = 64 * 1024

/** One request to the callback. */
interface Callback {
  readonly exchange: Exchange
  readonly memory: LoginMemory
  readonly endpoint: string
  readonly state: string
  readonly parameters: URLSearchParams
}

/** The way back from the authorization server: `callback` below the client endpoint. */
export class LoginCallback {
  readonly #flow: LoginFlow
  readonly #settings: LoginSettings
  readonly #failed: (exchange: Exchange, error: OpenIdError, endpoint: string) => Promise<Response>

  constructor(
    flow: LoginFlow,
    settings: LoginSettings,
    failed: (exchange: Exchange, error: OpenIdError, endpoint: string) => Promise<Response>,
  ) {
    this.#flow = flow
    this.#settings = settings
    this.#failed = failed
  }

  async handle(exchange: Exchange, memory: LoginMemory, endpoint: string): Promise<Response> {
    if (exchange.request.method === 'POST') return this.#posted(exchange, endpoint)
    const query = queryOf(exchange)
    const state = await this.#stateOf(query)
    const parameters = query.has('code') || query.has('error') ? query : (postedAnswers.find(exchange, state) ?? query)
    // After a failure of the server a reload completes the login; else it is over.
    let isOver = true
    const outcome = this.#answered({ exchange, memory, endpoint, state, parameters })
    const response = await outcome.catch((error: unknown) => {
      if (!(error instanceof OpenIdError)) throw error
      isOver = !error.unavailable
      return this.#failed(exchange, error, endpoint)
    })
    if (!isOver) return response
    memory.end(state)
    begunLogins.forget(response, exchange, state, this.#settings.clock.now())
    postedAnswers.forget(response, exchange, state)
    return response
  }

  async #posted(exchange: Exchange, endpoint: string): Promise<Response> {
    if (!this.#settings.registrations.some(isPosted)) return respond(405, { Allow: 'GET', 'Cache-Control': 'no-store' })
    const form = new URLSearchParams(Buffer.from(await exchange.request.body.read(LARGEST_FORM)).toString('utf8'))
    const state = await this.#stateOf(form)
    const callback = `${endpoint}/callback`
    // A form that belongs to no login of this browser leaves no cookie: any site can post one.
    if (begunLogins.recall(exchange, state, this.#settings.clock.now()) === null) return seeCallback(callback, state)
    const response = postedAnswers.handOver(exchange, callback, state, form)
    if (response === null) throw new LoginRequestError('the posted authorization response is too large')
    return response
  }

  /** The state of a response. In a JWT it can not be trusted before its login, and so its registration, is known. */
  async #stateOf(parameters: URLSearchParams): Promise<string> {
    const jwt = parameters.get('response')
    if (jwt === null) return parameters.get('state') ?? ''
    for (const { responseMode, decrypt } of this.#settings.registrations) {
      if (!responseMode?.endsWith('jwt')) continue
      const state = await stateOfJwtResponse(jwt, decrypt)
      if (state !== null) return state
    }
    return ''
  }

  async #answered(callback: Callback): Promise<Response> {
    const { exchange, memory, endpoint, state, parameters } = callback
    const login = memory.find(state) ?? this.#fromCookie(exchange, state)
    const registration = login === null ? null : this.#flow.registration(login.registration)
    if (login === null || registration === null || !(await this.#settings.usedStates.use(state)))
      return this.#unknownLogin(memory)
    const response = hasExpired(parameters)
      ? await this.#flow.begin(exchange, memory, endpoint, registration, login.goto)
      : await this.#complete(callback, registration, login)
    loginRounds.count(response, exchange, endpoint, this.#settings.clock.now())
    return response
  }

  /** Back button, reload, or a login that is over: a user who is logged in goes to the application. */
  #unknownLogin(memory: LoginMemory): Response {
    const { tokens } = memory
    if (tokens !== null && this.#flow.registration(tokens.registration) !== null)
      return redirect(this.#settings.defaultLoginGoto ?? '/')
    throw new LoginRequestError('no login with that state was begun in this browser, or it is over')
  }

  async #complete(callback: Callback, registration: ClientRegistration, login: BegunLogin): Promise<Response> {
    const { exchange, memory, endpoint, state, parameters } = callback
    const { clock, usedStates } = this.#settings
    try {
      const client = await clientOf(registration)
      const askedAt = clock.now()
      const maxAge = await maxAgeFor(registration, login, exchange)
      const attempt = { secrets: loginSecrets(login.secret), redirectUri: `${endpoint}/callback`, maxAge }
      const issued = await client.complete(parameters, attempt, exchange)
      if (issued.idToken !== null) await believed(registration, issued.idToken)
      checkAcr(issued.claims?.['acr'], login.acr?.split(' ') ?? [])
      exchange.session.renew?.()
      memory.keep(registration, issued, askedAt, null)
    } catch (error) {
      // The code may not have been used: a reload tries again.
      if (error instanceof OpenIdError && error.unavailable) await usedStates.release(state)
      throw error
    }
    const response = arrival(login.goto, exchange.request.headers.get('sec-fetch-site') === 'cross-site')
    if (exchange.session.isInCookies === true) begunLogins.trim(response, exchange, state)
    return response
  }

  #fromCookie(exchange: Exchange, state: string): BegunLogin | null {
    const login = begunLogins.recall(exchange, state, this.#settings.clock.now())
    if (login === null || login.goto === this.#settings.defaultLoginGoto) return login
    const goto = sameOriginGoto(login.goto, exchange.originalUri)
    return goto === null ? null : { ...login, goto }
  }
}

/** What was asked for, but not more than the configuration says: the cookie of a login is the browser's word. */
async function maxAgeFor(
  registration: ClientRegistration,
  login: BegunLogin,
  exchange: Exchange,
): Promise<number | null> {
  const maxAge = login.maxAge ?? null
  const configured = maxAgeOf(await registration.parameters(exchange))
  return maxAge === null || configured === null ? (maxAge ?? configured) : Math.min(maxAge, configured)
}

/** Keycloak's answer for a login page that was left open too long: the login is to begin again. */
function hasExpired(parameters: URLSearchParams): boolean {
  const isTemporary = parameters.get('error') === 'temporarily_unavailable'
  return isTemporary && parameters.get('error_description') === 'authentication_expired'
}
