import type { ClientRegistration } from '#contracts'
import { type Exchange, pageResponse, type Response, respond } from '#http'
import { loginSecrets, newLoginSecret, OpenIdClient, OpenIdError } from '#openid'
import type { Clock } from '#schema'
import { sameOriginGoto } from '../../lib/goto/same-origin-goto.ts'
import { loginRounds } from '../../lib/sso/login-rounds.ts'
import type { UsedStates } from '../../lib/sso/used-states.ts'
import { authorizationParameters, maxAgeOf } from './authorization-parameters.ts'
import { begunLogins } from './begun-logins.ts'
import { LoginRequestError } from './login-failure.ts'
import { type LoginMemory, registrationKey } from './login-memory.ts'
import type { LoginDemand } from './step-up.ts'

/** What a login needs to know. */
export interface LoginSettings {
  readonly registrations: readonly ClientRegistration[]
  readonly prompt: string | null
  /** Classes of logins of which one is demanded; empty where any will do. */
  readonly acrValues: readonly string[]
  readonly defaultLoginGoto: string | null
  readonly defaultLogoutGoto: string | null
  readonly revokeOnLogout: boolean
  /** Called where a logout could not revoke the tokens; it goes on all the same. */
  readonly onRevocationFailure: (error: OpenIdError) => void
  readonly endSessionOnLogout: boolean
  readonly clock: Clock
  readonly usedStates: UsedStates
}

/** The client of a registration, by what its server says of itself now. */
export async function clientOf(registration: ClientRegistration): Promise<OpenIdClient> {
  const { clientId, scopes, pkce, handler, authenticatedHandler, issuer } = registration
  return new OpenIdClient({
    metadata: await issuer.metadata(),
    clientId,
    scopes,
    pkce,
    tokenHandler: authenticatedHandler,
    userInfoHandler: handler,
    responseMode: registration.responseMode,
    skew: issuer.idTokenSkew,
    decrypt: registration.decrypt,
    signatureProblem: registration.signatureProblem,
  })
}

interface BeginOptions {
  /** Query of `login`. */
  readonly passed?: URLSearchParams | null
  readonly demand?: LoginDemand
}

/** The ways into and out of a session: `login` and `logout` below the client endpoint. */
export class LoginFlow {
  readonly #settings: LoginSettings
  readonly #byKey: ReadonlyMap<string, ClientRegistration>

  constructor(settings: LoginSettings) {
    this.#settings = settings
    this.#byKey = new Map(settings.registrations.map((each) => [registrationKey(each), each]))
  }

  registration(key: string): ClientRegistration | null {
    return this.#byKey.get(key) ?? null
  }

  /** Sends the browser to the authorization server. */
  async begin(
    exchange: Exchange,
    memory: LoginMemory,
    endpoint: string,
    registration: ClientRegistration,
    goto: string,
    { passed = null, demand = { acrValues: this.#settings.acrValues, maxAge: null } }: BeginOptions = {},
  ): Promise<Response> {
    const now = this.#settings.clock.now()
    if (loginRounds.isCircling(exchange, endpoint, now)) {
      const description = 'two logins within 10 seconds did not last: is the session kept, and does its cookie arrive?'
      throw new OpenIdError('server_error', description, false)
    }
    const client = await clientOf(registration)
    const { prompt } = this.#settings
    const extra = await authorizationParameters({ registration, prompt, passed, demand }, exchange)
    const maxAge = maxAgeOf(extra)
    const secret = newLoginSecret()
    const secrets = loginSecrets(secret)
    const location = await client.authorizeUrl(secrets, `${endpoint}/callback`, extra, exchange)
    const login = {
      secret,
      registration: registrationKey(registration),
      goto,
      ...(maxAge !== null && { maxAge }),
      ...(demand.acrValues.length > 0 && { acr: demand.acrValues.join(' ') }),
    }
    const response = redirect(location)
    // The callback may be at another host of the domain, where the session goes and the cookie of a login does not.
    if (new URL(endpoint).origin === siteOf(exchange))
      begunLogins.remember(response, exchange, registration, secrets.state, login, now)
    else memory.begin(secrets.state, login)
    return response
  }

  /**
   * `login?registration=<clientId>&issuer=<issuer name>&goto=<where to go then>`, or with `discovery=<mail address>`;
   * and the parameters that the registration passes on.
   */
  async login(exchange: Exchange, memory: LoginMemory, endpoint: string): Promise<Response> {
    const asked = queryOf(exchange)
    const registration = this.#chosen(asked)
    const fallback = this.#settings.defaultLoginGoto ?? '/'
    return this.begin(exchange, memory, endpoint, registration, this.#goto(exchange, asked, fallback), {
      passed: asked,
    })
  }

  /**
   * The registration that a request names, or by a mail address whose domain an issuer serves. Only configured ones can
   * be chosen: the gateway connects to no server that a user types (threats B65).
   */
  #chosen(asked: URLSearchParams): ClientRegistration {
    const { registrations } = this.#settings
    const discovery = asked.get('discovery')
    if (discovery !== null) {
      const domain = domainOf(discovery)
      const serving = registrations.find(({ issuer }) => domain !== null && issuer.servesDomain(domain))
      if (serving !== undefined) return serving
      throw new LoginRequestError('the parameter "discovery" names no domain that is served here')
    }
    const [clientId, issuer] = [asked.get('registration'), asked.get('issuer')]
    const [registration, ...others] = registrations.filter(
      (each) => (clientId === null || each.clientId === clientId) && (issuer === null || each.issuer.name === issuer),
    )
    if (registration !== undefined && others.length === 0) return registration
    throw new LoginRequestError('the parameters "registration" and "issuer" name no client')
  }

  /** `logout?goto=<where to go then>`. */
  async logout(exchange: Exchange, memory: LoginMemory): Promise<Response> {
    const { tokens } = memory
    memory.forget()
    const asked = queryOf(exchange).get('goto')
    const goto = asked === null ? this.#settings.defaultLogoutGoto : this.#goto(exchange, queryOf(exchange), '/')
    const registration = tokens === null ? null : this.registration(tokens.registration)
    if (tokens === null || registration === null) return this.#left(goto)
    const { revokeOnLogout, endSessionOnLogout } = this.#settings
    const token = tokens.refreshToken ?? tokens.accessToken
    if (revokeOnLogout && token !== null) await this.#revoke(registration, token, exchange)
    const endSession = endSessionOnLogout ? (await registration.issuer.metadata())['end_session_endpoint'] : null
    if (typeof endSession !== 'string') return this.#left(goto)
    const url = new URL(endSession)
    if (tokens.idToken !== null) url.searchParams.set('id_token_hint', tokens.idToken)
    url.searchParams.set('client_id', registration.clientId)
    // Servers compare it with what was registered, which is a whole URL.
    if (goto !== null) url.searchParams.set('post_logout_redirect_uri', new URL(goto, siteOf(exchange)).href)
    return redirect(url.href)
  }

  /** The tokens are forgotten already: a failure must not keep the browser from ending its session at the server. */
  async #revoke(registration: ClientRegistration, token: string, exchange: Exchange): Promise<void> {
    try {
      await (await clientOf(registration)).revoke(token, exchange)
    } catch (error) {
      if (!(error instanceof OpenIdError)) throw error
      this.#settings.onRevocationFailure(error)
    }
  }

  #left(goto: string | null): Response {
    if (goto !== null) return redirect(goto)
    const { registrations, defaultLoginGoto } = this.#settings
    // Beside `logout`; without a choice between registrations it needs no parameters.
    const href = registrations.length === 1 ? 'login' : (defaultLoginGoto ?? '/')
    const text = 'Close the browser where others use it too.'
    return pageResponse(200, { title: 'You are logged out', text, link: { href, label: 'Log in again' } })
  }

  #goto(exchange: Exchange, asked: URLSearchParams, fallback: string): string {
    const text = asked.get('goto')
    if (text === null) return fallback
    const goto = sameOriginGoto(text, exchange.originalUri)
    if (goto !== null) return goto
    throw new LoginRequestError('the parameter "goto" leads to another site')
  }
}

/** An ID token says who the user is: it counts only with the signature of its issuer. */
export async function believed(registration: ClientRegistration, idToken: string): Promise<void> {
  const problem = await registration.idTokenProblem(idToken)
  if (problem !== null) throw new OpenIdError('invalid_token', `the ID token is not believed: ${problem}`, false)
}

/** A redirect that no cache keeps: it belongs to one browser and one moment. */
export function redirect(location: string): Response {
  return respond(302, { Location: location, 'Cache-Control': 'no-store' })
}

/** The query of a request. */
export function queryOf(exchange: Exchange): URLSearchParams {
  return new URLSearchParams(exchange.request.uri.rawQuery ?? '')
}

function siteOf({ originalUri: { scheme, authority } }: Exchange): string {
  return `${scheme}://${authority}`
}

/** The domain of a mail address, of a URL, or of a bare name; null where it is none. */
function domainOf(text: string): string | null {
  const name =
    text.includes('://') && URL.canParse(text) ? new URL(text).hostname : text.slice(text.lastIndexOf('@') + 1)
  return /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/i.test(name) ? name.toLowerCase() : null
}
