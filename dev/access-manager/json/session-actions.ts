import { readApiVersion } from '../http/api-version.ts'
import type { Call, Endpoint } from '../http/call.ts'
import { crestError, type EndpointResponse, json } from '../http/endpoint-response.ts'
import { readJsonObject } from '../http/request-body.ts'
import type { CompleteSettings } from '../settings.ts'
import type { Session, Sessions } from '../state/sessions.ts'
import { presentedToken } from './caller.ts'
import { sessionInformation, sessionTimes, validation } from './session-views.ts'

interface Work {
  readonly call: Call
  readonly body: Readonly<Record<string, unknown>>
  readonly caller: Session
  readonly target: Session
}

/** `sessions?_action=..`: information, validation and end of sessions. */
export class SessionActions implements Endpoint {
  readonly name = 'sessions'
  readonly methods = ['POST']
  readonly #settings: CompleteSettings
  readonly #sessions: Sessions

  constructor(settings: CompleteSettings, sessions: Sessions) {
    this.#settings = settings
    this.#sessions = sessions
  }

  handle(call: Call): EndpointResponse {
    const refusal = this.#versionRefusal(call)
    if (refusal !== null) return refusal
    const body = readJsonObject(call.body)
    if (body === null) return crestError(400, 'The request body is not a JSON object')
    const action = call.query.get('_action') ?? ''
    if (action === 'logoutByUser') return this.#logoutByUser(call, body)
    if (action === 'logoutByHandle') return this.#logoutByHandle(call, body)
    const perform = this.#actionNamed(action)
    if (perform === undefined) return crestError(501, `Action '${action}' not implemented for this resource`)
    const own = presentedToken(call.headers, this.#settings.cookieName)
    const wanted = this.#targetOf(call, body, own)
    const caller = this.#sessions.find(own)
    const target = this.#sessions.find(wanted)
    // OpenAM validates a token for any caller.
    const open = this.#settings.family === 'openam' && action === 'validate'
    if (caller === undefined && !open) {
      const isPing = this.#settings.family === 'pingam'
      const ending = isPing && action === 'logout' && wanted !== undefined && wanted === own
      return ending ? json({ result: 'Token has expired' }) : crestError(401, 'Access Denied')
    }
    if (target === undefined) return this.#unknown(action)
    const acting = caller ?? target
    if (!open && !this.#may(action, acting, target)) return crestError(403, 'Access Denied')
    // At OpenAM every call with its own token resets the idle time of a session.
    if (acting !== target || (caller === target && this.#settings.family === 'openam')) this.#sessions.touch(acting)
    return perform({ call, body, caller: acting, target })
  }

  /** PingAM begins at version 3, OpenAM ends at 2.0 and has `sessions/{token}?_action=validate` as version 1. */
  #versionRefusal({ headers, rest, query }: Call): EndpointResponse | null {
    const version = readApiVersion(headers['accept-api-version']?.toString())
    if (version === null) return crestError(400, 'Accept-API-Version is malformed')
    const ping = this.#settings.family === 'pingam'
    const [major, minor] = version.resource ?? [ping ? 4 : rest === '' ? 2 : 1, 0]
    const isSecond = major === 2 && minor === 0
    const known = ping ? major >= 3 && major <= 5 && rest === '' : rest === '' ? isSecond : major === 1
    if (!known) return crestError(404, `Resource version ${major}.${minor} not found`)
    if (!ping && rest === '' && query.get('_action') === 'validate')
      return crestError(501, "Action 'validate' not implemented for this resource")
    return null
  }

  #targetOf({ query, rest }: Call, body: Work['body'], own: string | undefined): string | undefined {
    if (rest !== '') return rest
    const { tokenId } = body
    if (this.#settings.family === 'pingam' && typeof tokenId === 'string') return tokenId
    return query.get('tokenId') ?? own
  }

  #may(action: string, caller: Session, target: Session): boolean {
    // OpenAM lets only administrators refresh a session.
    if (action === 'refresh' && this.#settings.family === 'openam') return caller.owner.admin
    if (caller === target || caller.owner.admin) return true
    // An agent of OpenAM has no privilege over the sessions of users.
    const reads = action !== 'logout' && action !== 'updateSessionProperties'
    return reads && caller.owner.kind === 'agent' && this.#settings.family === 'pingam'
  }

  #unknown(action: string): EndpointResponse {
    if (action === 'logout') return json({ result: 'Token has expired' })
    switch (this.#settings.unknownSession) {
      case 'unauthorized':
        return crestError(401, 'Access Denied')
      case 'not-found':
        return crestError(404, 'Session not found')
      case 'invalid':
        return json({ valid: false })
    }
  }

  #actionNamed(action: string): ((work: Work) => EndpointResponse) | undefined {
    switch (action) {
      case 'getSessionInfo':
        return ({ target }) => this.#information(target)
      case 'getSessionInfoAndResetIdleTime':
        if (this.#settings.family === 'openam') return undefined
        return ({ target }) => {
          this.#sessions.touch(target)
          return this.#information(target)
        }
      case 'validate':
        return ({ call, target }) => {
          if (call.query.get('refresh') !== 'false') this.#sessions.touch(target)
          return json(validation(target, this.#settings.family))
        }
      case 'refresh':
        return ({ target }) => {
          this.#sessions.touch(target)
          return json(sessionTimes(target, this.#sessions.endsAt(target)))
        }
      case 'getSessionProperties':
        return ({ body, target }) => json(this.#properties(target, body['properties']))
      case 'updateSessionProperties':
        return (work) => this.#update(work)
      case 'logout':
        return ({ target }) => {
          if (!this.#settings.clientBasedSessions) this.#sessions.end(target, 'LOGOUT')
          return json({ result: 'Successfully logged out' })
        }
      default:
        return undefined
    }
  }

  #information(session: Session): EndpointResponse {
    const properties = this.#settings.family === 'pingam' ? this.#properties(session) : null
    return json(sessionInformation(session, this.#sessions.endsAt(session), properties))
  }

  /** The properties to return: all listed ones, or the requested ones of them. */
  #properties(session: Session, asked?: unknown): Record<string, string> {
    const names = this.#settings.sessionProperties
    const wanted = Array.isArray(asked) ? names.filter((name) => asked.includes(name)) : names
    return Object.fromEntries(wanted.map((name) => [name, session.properties.get(name) ?? '']))
  }

  #update({ body, target }: Work): EndpointResponse {
    const { tokenId: _, ...values } = body
    const changes = Object.entries(values)
    const allowed = ([name, value]: [string, unknown]): boolean =>
      name !== 'AMCtxId' && this.#settings.sessionProperties.includes(name) && typeof value === 'string'
    if (!changes.every(allowed)) return crestError(403, 'Forbidden')
    for (const [name, value] of changes) this.#sessions.setProperty(target, name, value as string)
    return json(this.#properties(target))
  }

  #logoutByUser(call: Call, { username }: Work['body']): EndpointResponse {
    if (this.#settings.family === 'openam') return crestError(501, "Action 'logoutByUser' not implemented")
    const caller = this.#sessions.find(presentedToken(call.headers, this.#settings.cookieName))
    if (caller === undefined) return crestError(401, 'Access Denied')
    if (typeof username !== 'string') return crestError(400, 'username is required')
    const own = caller.owner.kind === 'user' && caller.owner.name === username && caller.owner.realm === call.realm
    if (!own && !caller.owner.admin) return crestError(403, 'Access Denied')
    const theirs = ({ owner }: Session): boolean =>
      owner.kind === 'user' && owner.name === username && owner.realm === call.realm
    for (const session of this.#sessions.select(theirs)) this.#sessions.end(session, 'LOGOUT')
    return json({ result: true })
  }

  #logoutByHandle(call: Call, { sessionHandles }: Work['body']): EndpointResponse {
    const caller = this.#sessions.find(presentedToken(call.headers, this.#settings.cookieName))
    if (caller === undefined) return crestError(401, 'Access Denied')
    if (!caller.owner.admin) return crestError(403, 'Access Denied')
    if (!Array.isArray(sessionHandles)) return crestError(400, 'sessionHandles is required')
    const ended = this.#sessions.select(({ handle }) => sessionHandles.includes(handle))
    for (const session of ended) this.#sessions.end(session, 'DESTROY')
    return json({ result: Object.fromEntries(ended.map(({ handle }) => [handle, true])) })
  }
}
