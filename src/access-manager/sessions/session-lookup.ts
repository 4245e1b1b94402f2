import { AccessManagerError, type AmDialect } from '#contracts'
import type { Handler } from '#http'
import type { Logger } from '#logging'
import { isSessionToken } from '../agent-login.ts'
import { EVENTS } from '../log-events.ts'
import type { RealmUris } from '../realm-uri.ts'
import { callRest, type RestResponse } from '../rest-call.ts'
import { readSession, type SessionLookupResult } from './session-response.ts'

interface LookupSettings {
  readonly uris: RealmUris
  readonly handler: Handler
  /** Sends with the session of the agent; null without an agent. */
  readonly agentHandler: Handler | null
  /** The token of the agent's session. Rejects with an AccessManagerError. */
  agentToken(): Promise<string>
  /** Name of the agent, whose own session is never returned. */
  readonly agent: string | null
  /** Session properties to return; null for all. */
  readonly properties: readonly string[] | null
  /** Milliseconds that one call may take. */
  readonly callTimeout: number
  readonly logger: Logger
  /** Whether sessions of a realm are admitted. */
  admitsRealm(realm: string): boolean
  cookieName(): Promise<string>
  dialect(): Promise<AmDialect>
}

/** Effect of a lookup on the idle time of the session. */
export type IdleTime = 'unchanged' | 'reset'

/** Responses to a token without session (protocol notes 3). */
const NO_SESSION: ReadonlySet<number> = new Set([400, 401, 404])
/** Responses of OpenAM to callers without the privilege; `validate` needs none. */
const USE_VALIDATE: ReadonlySet<number> = new Set([400, 403, 404, 501])

/** Looks up the sessions of tokens at the access manager. */
export class SessionLookup {
  readonly #settings: LookupSettings
  readonly #wanted: ReadonlySet<string> | null

  constructor(settings: LookupSettings) {
    this.#settings = settings
    this.#wanted = settings.properties === null ? null : new Set(settings.properties)
  }

  /** Null where no admitted session has the token. Rejects with an AccessManagerError where the lookup fails. */
  async find(token: string, idleTime: IdleTime): Promise<SessionLookupResult | null> {
    if (!isSessionToken(token)) return null
    const { family } = await this.#settings.dialect()
    const { agentHandler } = this.#settings
    const response =
      family === 'openam'
        ? await this.#lookUpAsUser(token)
        : agentHandler === null
          ? await this.#lookUpWithoutAgent(token, idleTime)
          : await this.#lookUpAsAgent(agentHandler, token, idleTime)
    if (family === 'openam' && (await this.#failsForTokenOnly(response))) return null
    const found = this.#read(response)
    return found === null || this.#isAdmitted(found) ? found : null
  }

  /** The server returns sessions of any realm under the path of every realm. */
  #isAdmitted({ session: { realm } }: SessionLookupResult): boolean {
    const { admitsRealm, uris, logger } = this.#settings
    if (admitsRealm(realm)) return true
    logger
      .limited(realm)
      .info(
        { realm, expected: uris.realm },
        'session of another realm ignored: the request has no session; add its realm to sharedRealms of the AmService to admit it',
      )
    return false
  }

  /**
   * Authorized by the agent's session. 401 is about the token where the agent's session is found: sessions of users expire all
   * the time, and a login of the agent for each would be of no use.
   */
  async #lookUpAsAgent(agentHandler: Handler, token: string, idleTime: IdleTime): Promise<RestResponse> {
    const { handler, agentToken, cookieName } = this.#settings
    const own = await agentToken()
    const headers = { [await cookieName()]: own }
    const response = await this.#lookUp(handler, token, idleTime, headers)
    if (response.status !== 401) return response
    const { status, json } = await this.#lookUp(handler, own, 'unchanged', headers)
    return status === 200 && json !== null ? response : this.#lookUp(agentHandler, token, idleTime)
  }

  /** The token is in the body. */
  #lookUp(
    handler: Handler,
    tokenId: string,
    idleTime: IdleTime,
    headers: Record<string, string> = {},
  ): Promise<RestResponse> {
    const { uris, callTimeout } = this.#settings
    const action = idleTime === 'unchanged' ? 'getSessionInfo' : 'getSessionInfoAndResetIdleTime'
    const uri = uris.rest(`sessions?_action=${action}`)
    return callRest(handler, { method: 'POST', uri, resource: '4.0', headers, body: { tokenId } }, callTimeout)
  }

  /** Authorized by the token itself. The version of the server is unknown without an agent: it may be an OpenAM. */
  async #lookUpWithoutAgent(token: string, idleTime: IdleTime): Promise<RestResponse> {
    const { handler, cookieName } = this.#settings
    const response = await this.#lookUp(handler, token, idleTime, { [await cookieName()]: token })
    return USE_VALIDATE.has(response.status) ? this.#lookUpAsUser(token) : response
  }

  /**
   * Authorized by the token itself, which resets its idle time: agents of OpenAM may not look up other sessions. Session
   * properties need a separate call, made only where `sessionProperties` names some.
   */
  async #lookUpAsUser(token: string): Promise<RestResponse> {
    const { handler, uris, cookieName, callTimeout } = this.#settings
    const headers = { [await cookieName()]: token }
    const call = (action: string) =>
      callRest(
        handler,
        { method: 'POST', uri: uris.rest(`sessions?_action=${action}`), resource: '2.0', headers, body: {} },
        callTimeout,
      )
    const [response, properties] = await Promise.all([
      call('getSessionInfo'),
      this.#wanted === null || this.#wanted.size === 0 ? null : call('getSessionProperties'),
    ])
    if (USE_VALIDATE.has(response.status)) {
      const uri = uris.rest(`sessions/${encodeURIComponent(token)}?_action=validate`)
      const validation = await callRest(handler, { method: 'POST', uri, resource: '1.1', body: {} }, callTimeout)
      return this.#withProperties(validation, properties)
    }
    return this.#withProperties(response, properties)
  }

  /**
   * OpenAM responds 500 without content to a token of another OpenAM, which names a server that it does not know. It can look
   * up sessions if the same call finds that of the agent; otherwise no session counts as ended.
   */
  async #failsForTokenOnly({ status, json }: RestResponse): Promise<boolean> {
    const { agentHandler, uris, callTimeout } = this.#settings
    if (status !== 500 || json !== null || agentHandler === null) return false
    const uri = uris.rest('sessions?_action=getSessionInfo')
    const own = await callRest(agentHandler, { method: 'POST', uri, resource: '2.0', body: {} }, callTimeout)
    return own.status === 200 && own.json !== null
  }

  #withProperties(response: RestResponse, properties: RestResponse | null): RestResponse {
    if (properties === null || response.status !== 200 || response.json === null) return response
    const { status, json } = properties
    if (status === 200 && json !== null) return { ...response, json: { ...response.json, properties: json } }
    // The session has ended between the two calls.
    if (status === 401) return properties
    if (status >= 500 && status !== 501) throw unexpected(status)
    this.#settings.logger.limited().warn({ status }, EVENTS.SESSION_PROPERTIES_REFUSED)
    return response
  }

  #read({ status, json }: RestResponse): SessionLookupResult | null {
    // An error page of a proxy, or of a server that is being deployed.
    if (json === null) {
      throw new AccessManagerError('unavailable', `sessions: expected a JSON object, got the status ${status} without`)
    }
    if (NO_SESSION.has(status)) return null
    if (status === 403) {
      throw new AccessManagerError('misconfigured', 'the agent lacks the privilege to look up sessions; grant it')
    }
    if (status !== 200) throw unexpected(status)
    const found = readSession(json, this.#wanted)
    // OpenAM ignores a token in the body and returns the session of the caller: any token would be that of the agent.
    if (found !== null && found.session.username.toLowerCase() === this.#settings.agent?.toLowerCase()) {
      const message = 'sessions: expected the session of the token, got that of the agent; set version'
      throw new AccessManagerError('misconfigured', message)
    }
    return found
  }
}

function unexpected(status: number): AccessManagerError {
  const message = `sessions: expected the description of a session, got the status ${status}`
  return new AccessManagerError('unavailable', message)
}
