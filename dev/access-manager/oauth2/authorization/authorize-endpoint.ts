import { isEnough, readLoginMethod } from '../../authentication/login-method.ts'
import type { Call, Endpoint } from '../../http/call.ts'
import type { EndpointResponse } from '../../http/endpoint-response.ts'
import { callerOf } from '../../json/caller.ts'
import { escaped, page, redirect } from '../../pages/html.ts'
import type { CompleteSettings } from '../../settings.ts'
import type { Directory } from '../../state/accounts.ts'
import type { Session, Sessions } from '../../state/sessions.ts'
import type { Tokens } from '../../state/tokens.ts'
import { type AuthorizationRequest, type Destination, readAuthorizationRequest } from './authorization-request.ts'
import type { AuthorizationCodes } from './codes.ts'
import type { IdTokens } from './id-tokens.ts'
import { sendOutcome } from './outcome.ts'
import type { PushedRequests } from './pushed-requests.ts'

interface AuthorizeParts {
  readonly settings: CompleteSettings
  readonly directory: Directory
  readonly sessions: Sessions
  readonly tokens: Tokens
  readonly codes: AuthorizationCodes
  readonly idTokens: IdTokens
  readonly pushed: PushedRequests
  /** Base URL of the server. */
  readonly base: string
  /** URL of this endpoint in a realm. */
  readonly addressOf: (realm: string) => string
}

/** Parameters passed to the login page; OpenAM passes no advice. */
const LOGIN_PARAMETERS = { pingam: ['authIndexType', 'authIndexValue', 'service'], openam: ['service'] } as const

/** `authorize`: codes and ID tokens for logged-in users, after a redirect to the login page. Consent is implied. */
export class AuthorizeEndpoint implements Endpoint {
  readonly name = 'authorize'
  readonly methods = ['GET', 'POST']
  readonly #parts: AuthorizeParts

  constructor(parts: AuthorizeParts) {
    this.#parts = parts
  }

  async handle(call: Call): Promise<EndpointResponse> {
    const { settings, directory, pushed } = this.#parts
    const sent = call.method === 'POST' ? new URLSearchParams(call.body) : call.query
    const query = pushed.resolve(sent)
    if (query === null) return refusedPage('the pushed request is not known')
    const read = readAuthorizationRequest(query, call.realm, directory, settings.family)
    if ('refused' in read) return refusedPage(read.refused)
    if ('error' in read) return this.#send(read.to, { error: read.error, error_description: read.description })
    const { request } = read
    const session = this.#sessionOf(call, query)
    if (session === undefined || request.prompt === 'login') {
      if (request.prompt === 'none') return this.#send(request, { error: 'login_required' })
      return this.#toLogin(call.realm, query)
    }
    return this.#grant(call.realm, request, session)
  }

  #send(to: Destination, fields: Readonly<Record<string, string>>): EndpointResponse {
    return sendOutcome(to, fields, this.#parts.settings.family)
  }

  /** The session of the browser, if it has the requested strength. */
  #sessionOf(call: Call, query: URLSearchParams): Session | undefined {
    const { settings, sessions } = this.#parts
    const session = callerOf(call.headers, settings.cookieName, sessions)
    const way = readLoginMethod(this.#loginParameters(query), settings)
    return way?.kind === 'user' && isEnough(session, call.realm, way) ? session : undefined
  }

  /** The login page redirects back here; without `prompt`, which would cause another login. */
  #toLogin(realm: string, query: URLSearchParams): EndpointResponse {
    const back = new URLSearchParams(query)
    back.delete('prompt')
    const login = new URLSearchParams({ goto: `${this.#parts.addressOf(realm)}?${back}`, realm })
    for (const [name, value] of this.#loginParameters(query)) login.set(name, value)
    return redirect(`${this.#parts.base}/?${login}`)
  }

  #loginParameters(query: URLSearchParams): URLSearchParams {
    const names: readonly string[] = LOGIN_PARAMETERS[this.#parts.settings.family]
    return new URLSearchParams([...query].filter(([name]) => names.includes(name)))
  }

  async #grant(realm: string, request: AuthorizationRequest, session: Session): Promise<EndpointResponse> {
    const { settings, directory, tokens, codes, idTokens, sessions } = this.#parts
    sessions.touch(session)
    const { clientId, nonce, agentRealm } = request
    if (request.responseType === 'id_token') {
      const order = { audience: clientId, session, nonce, agentRealm }
      const agent = settings.family === 'openam' && agentRealm !== null ? directory.agent(realm, clientId) : undefined
      const id_token =
        agent === undefined ? await idTokens.issue(order) : await idTokens.issueOpenAmAgentToken(order, agent.password)
      return this.#send(request, { id_token })
    }
    const subject = { kind: 'user', name: session.owner.name } as const
    const grant = tokens.grant({ clientId, realm, subject, grantType: 'authorization_code' })
    return this.#send(request, { code: codes.issue({ grant, request, session }), iss: idTokens.issuerOf(realm) })
  }
}

function refusedPage(reason: string): EndpointResponse {
  return page('This can not go on', `<p>${escaped(reason)}</p>`, 400)
}
