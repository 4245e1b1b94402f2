import type { CallbackDialogue } from '../authentication/callbacks.ts'
import { headerText } from '../authentication/header-text.ts'
import { isEnough, readLoginMethod } from '../authentication/login-method.ts'
import { type Credentials, type Logins, sessionCookies } from '../authentication/logins.ts'
import { type Call, type Endpoint, headerOf } from '../http/call.ts'
import { crestError, type EndpointResponse, json } from '../http/endpoint-response.ts'
import { isMediaType, readJsonObject } from '../http/request-body.ts'
import type { CompleteSettings } from '../settings.ts'
import type { Session, Sessions } from '../state/sessions.ts'
import { callerOf } from './caller.ts'

/** `authenticate`: logs users and agents in, by headers or by callbacks. */
export class Authenticate implements Endpoint {
  readonly name = 'authenticate'
  readonly methods = ['POST']
  readonly #settings: CompleteSettings
  readonly #sessions: Sessions
  readonly #logins: Logins
  readonly #dialogue: CallbackDialogue

  constructor(settings: CompleteSettings, sessions: Sessions, logins: Logins, dialogue: CallbackDialogue) {
    this.#settings = settings
    this.#sessions = sessions
    this.#logins = logins
    this.#dialogue = dialogue
  }

  async handle(call: Call): Promise<EndpointResponse> {
    if (call.body !== '' && !isMediaType(call.headers['content-type'], 'application/json'))
      return crestError(415, 'Unsupported media type')
    const body = readJsonObject(call.body)
    if (body === null) return crestError(400, 'The request body is not a JSON object')
    const method = readLoginMethod(call.query, this.#settings)
    const isOpenAm = this.#settings.family === 'openam'
    if (method === null) return crestError(isOpenAm ? 400 : 401, 'No Configuration found')
    const failure = crestError(401, isOpenAm ? 'Authentication Failed' : 'Login failure')
    const current = callerOf(call.headers, this.#settings.cookieName, this.#sessions)
    const credentials = 'authId' in body ? this.#dialogue.read(body, call.realm) : this.#fromHeaders(call)
    if (credentials === null) {
      if (isEnough(current, call.realm, method)) return this.#loggedIn(current)
      return json(this.#dialogue.begin(call.realm))
    }
    if (credentials === 'refused') return failure
    const session = this.#logins.enter(method, call.realm, credentials, current)
    return session === null ? failure : this.#loggedIn(session)
  }

  #fromHeaders({ headers }: Call): Credentials | null {
    const name = headerOf(headers, 'x-openam-username')
    const password = headerOf(headers, 'x-openam-password')
    if (name === undefined || password === undefined) return null
    // Bytes other than encoded words are ISO-8859-1, as Node decodes headers.
    return { name: headerText(name), password: headerText(password) }
  }

  #loggedIn(session: Session): EndpointResponse {
    const { tokenInBody, contextPath } = this.#settings
    const rest = { successUrl: `${contextPath}/console`, realm: session.owner.realm }
    const body = tokenInBody ? { tokenId: session.tokenId, ...rest } : rest
    return json(body, 200, { 'Set-Cookie': sessionCookies(session, this.#settings) })
  }
}
