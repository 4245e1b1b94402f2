import type { ClientRegistration } from '#contracts'
import type { Exchange, Handler, Response } from '#http'
import type { JsonObject } from '#json'
import type { Logger } from '#logging'
import type { Clock, Runtime } from '#schema'
import type { UsedStates } from '../../lib/login/used-states.ts'
import type { FlowState } from '../lib/flow.ts'
import type { LoginIdentity } from './login-identity.ts'
import { LoginSession, type SessionTokens } from './login-session.ts'
import type { SharedRefresh } from './shared-refresh.ts'
import type { UserInfo } from './user-info.ts'

/** Settings of a login filter. */
export interface LoginSettings {
  readonly clientEndpoint: Runtime<string>
  readonly registrations: readonly ClientRegistration[]
  readonly registrationByKey: ReadonlyMap<string, ClientRegistration>
  readonly loginHandler: Handler | null
  readonly failureHandler: Handler | null
  /** Sets `target`, which expressions of older configurations read. */
  readonly assign: (exchange: Exchange, info: JsonObject) => void | Promise<void>
  readonly requireHttps: boolean
  readonly requireLogin: boolean
  readonly defaultLoginGoto: string | null
  readonly defaultLogoutGoto: string | null
  readonly revokeOnLogout: boolean
  readonly endSessionOnLogout: boolean
  readonly prompt: string | null
  /** Classes of logins of which one is required; empty for any. */
  readonly acrValues: readonly string[]
  readonly sessionKey: string | null
  readonly usedStates: UsedStates
  readonly refreshes: SharedRefresh
  readonly userInfo: UserInfo
  readonly clock: Clock
  readonly logger: Logger
}

/** One request to the filter. */
export class LoginRequest implements FlowState {
  readonly exchange: Exchange
  readonly next: Handler
  readonly settings: LoginSettings
  /** URL of the client endpoint, at the site of the request where the configuration has a path. */
  endpoint = ''
  /** Path below the client endpoint, such as `login`; empty for requests to the application. */
  action = ''
  tokens: SessionTokens | null = null
  /** Registration of the tokens. */
  registration: ClientRegistration | null = null
  identity: LoginIdentity | null = null
  /** Response of the application. */
  response: Response | null = null
  #loginSession: LoginSession | null = null

  constructor(exchange: Exchange, next: Handler, settings: LoginSettings) {
    this.exchange = exchange
    this.next = next
    this.settings = settings
  }

  get logger(): Logger {
    return this.settings.logger
  }

  /** Tokens and logins in the session, under `oAuth2SessionKey` or the URL of the endpoint. */
  get loginSession(): LoginSession {
    const { sessionKey, clock } = this.settings
    this.#loginSession ??= new LoginSession(this.exchange.session, sessionKey ?? this.endpoint, clock.now())
    return this.#loginSession
  }
}
