import { AccessManagerError, type AmDialect } from '#contracts'
import type { Handler } from '#http'
import type { Logger } from '#logging'
import { isSessionToken } from '../agent-login.ts'
import { EVENTS } from '../log-events.ts'
import type { RealmUris } from '../realm-uri.ts'
import { callRest, type RestAnswer } from '../rest-call.ts'
import { type FoundSession, readSession } from './session-response.ts'

/** Settings of session lookups. */
interface LookupSettings {
  readonly uris: RealmUris
  readonly handler: Handler
  readonly agentHandler: Handler
  /** Name of the agent, whose own session is never a result. */
  readonly agent: string
  /** Properties that are wanted; null for all. */
  readonly properties: readonly string[] | null
  /** Milliseconds that one call may take. */
  readonly callTimeout: number
  readonly logger: Logger
  /** Whether sessions of a realm are admitted. */
  admitsRealm(realm: string): boolean
  cookieName(): Promise<string>
  dialect(): Promise<AmDialect>
}

/** Whether a lookup resets the idle time of the session. */
export type IdleTime = 'kept' | 'reset'

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
  async find(token: string, idleTime: IdleTime): Promise<FoundSession | null> {
    if (!isSessionToken(token)) return null
    const { family } = await this.#settings.dialect()
    const answer = family === 'pingam' ? await this.#ask(token, idleTime) : await this.#askOpenAm(token)
    const found = this.#read(answer)
    return found === null || this.#isAdmitted(found) ? found : null
  }

  /** The server answers for sessions of any realm under the path of every realm. */
  #isAdmitted({ session: { realm } }: FoundSession): boolean {
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

  /** With the agent's session; the token is in the body. */
  #ask(tokenId: string, idleTime: IdleTime): Promise<RestAnswer> {
    const { agentHandler, uris, callTimeout } = this.#settings
    const action = idleTime === 'kept' ? 'getSessionInfo' : 'getSessionInfoAndResetIdleTime'
    const uri = uris.rest(`sessions?_action=${action}`)
    return callRest(agentHandler, { method: 'POST', uri, resource: '4.0', body: { tokenId } }, callTimeout)
  }

  /**
   * With the token itself, which resets its idle time: agents of OpenAM may not look up other sessions. Session properties
   * need a call of their own, made only where `sessionProperties` names some.
   */
  async #askOpenAm(token: string): Promise<RestAnswer> {
    const { handler, uris, cookieName, callTimeout } = this.#settings
    const headers = { [await cookieName()]: token }
    const own = (action: string) =>
      callRest(
        handler,
        { method: 'POST', uri: uris.rest(`sessions?_action=${action}`), resource: '2.0', headers, body: {} },
        callTimeout,
      )
    const [answer, properties] = await Promise.all([
      own('getSessionInfo'),
      this.#wanted === null || this.#wanted.size === 0 ? null : own('getSessionProperties'),
    ])
    if (USE_VALIDATE.has(answer.status)) {
      const uri = uris.rest(`sessions/${encodeURIComponent(token)}?_action=validate`)
      const validation = await callRest(handler, { method: 'POST', uri, resource: '1.1', body: {} }, callTimeout)
      return this.#withProperties(validation, properties)
    }
    return this.#withProperties(answer, properties)
  }

  #withProperties(answer: RestAnswer, properties: RestAnswer | null): RestAnswer {
    if (properties === null || answer.status !== 200 || answer.json === null) return answer
    const { status, json } = properties
    if (status === 200 && json !== null) return { ...answer, json: { ...answer.json, properties: json } }
    // The session has ended between the two calls.
    if (status === 401) return properties
    if (status >= 500 && status !== 501) throw unexpected(status)
    this.#settings.logger.limited().warn({ status }, EVENTS.SESSION_PROPERTIES_REFUSED)
    return answer
  }

  #read({ status, json }: RestAnswer): FoundSession | null {
    // An error page of a proxy, or of a server that is being deployed.
    if (json === null) {
      throw new AccessManagerError('unavailable', `sessions: expected a JSON object, got the status ${status} without`)
    }
    if (NO_SESSION.has(status)) return null
    if (status === 403) {
      throw new AccessManagerError('misconfigured', 'the agent may not look sessions up; give it the privilege')
    }
    if (status !== 200) throw unexpected(status)
    const found = readSession(json, this.#wanted)
    // OpenAM ignores a token in the body and describes the session of the caller: an invented token would be the agent's.
    if (found !== null && found.session.username.toLowerCase() === this.#settings.agent.toLowerCase()) {
      const message = 'sessions: expected the session that was asked for, got that of the agent; set version'
      throw new AccessManagerError('misconfigured', message)
    }
    return found
  }
}

function unexpected(status: number): AccessManagerError {
  const message = `sessions: expected the description of a session, got the status ${status}`
  return new AccessManagerError('unavailable', message)
}
