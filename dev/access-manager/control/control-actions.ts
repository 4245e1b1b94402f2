import { crestError, type EndpointResponse, json } from '../http/endpoint-response.ts'
import type { Policy } from '../policies/policy.ts'
import type { Fault, Hold } from './faults.ts'
import type { ReceivedRequest } from './received-requests.ts'

/** The JSON body of a request to the control API. */
type Given = Readonly<Record<string, unknown>>

/** The methods of the control API, which tests in the same process call directly. */
export interface Controllable {
  readonly sockets: number
  readonly clock: { now(): number }
  requests(endpoint?: string): readonly ReceivedRequest[]
  forgetRequests(): void
  fail(endpoint: string, fault: Fault): void
  hold(endpoint: string): Hold
  heal(endpoint?: string): void
  advance(milliseconds: number): void
  dropSockets(code?: number): void
  refuseUpgrades(status: number | null): void
  expireAgentSessions(): number
  login(username: string, realm?: string): string
  endSession(tokenId: string): boolean
  issueToken(wish: object): Promise<string>
  revoke(value: string): boolean
  publish(topic: string, body: object): void
  putPolicy(policy: Policy, realm?: string): void
  removePolicy(name: string, realm?: string): boolean
  rotateKeys(): void
}

/** An action; `name` is the last part of a path that ends with `{}`. */
type Action = (manager: Controllable, given: Given, name: string) => EndpointResponse | Promise<EndpointResponse>

const done = (): EndpointResponse => json({ done: true })

/** Actions by method and path; `{}` matches the name of an endpoint. */
export const CONTROL_ACTIONS: Readonly<Record<string, Action>> = {
  'GET /requests': (manager) => json({ requests: manager.requests() }),
  'GET /requests/{}': (manager, _, endpoint) => json({ requests: manager.requests(endpoint) }),
  'DELETE /requests': (manager) => {
    manager.forgetRequests()
    return done()
  },
  'PUT /faults/{}': (manager, fault, endpoint) => {
    manager.fail(endpoint, fault as Fault)
    return done()
  },
  'PUT /holds/{}': (manager, _, endpoint) => {
    manager.hold(endpoint)
    return done()
  },
  'DELETE /faults': (manager) => {
    manager.heal()
    return done()
  },
  'DELETE /faults/{}': (manager, _, endpoint) => {
    manager.heal(endpoint)
    return done()
  },
  'POST /advance': (manager, given) => {
    manager.advance(numberIn(given, 'milliseconds'))
    return json({ now: manager.clock.now() })
  },
  'GET /sockets': (manager) => json({ sockets: manager.sockets }),
  'POST /sockets/drop': (manager, given) => {
    manager.dropSockets(given['code'] === undefined ? undefined : numberIn(given, 'code'))
    return done()
  },
  'PUT /upgrades': (manager, given) => {
    manager.refuseUpgrades(given['status'] === null ? null : numberIn(given, 'status'))
    return done()
  },
  'POST /agents/expire': (manager) => json({ ended: manager.expireAgentSessions() }),
  'POST /sessions': (manager, given) => {
    const realm = given['realm'] === undefined ? '/' : textIn(given, 'realm')
    return json({ tokenId: manager.login(textIn(given, 'username'), realm) })
  },
  'POST /sessions/end': (manager, given) => json({ ended: manager.endSession(textIn(given, 'tokenId')) }),
  'POST /tokens': async (manager, given) => json({ access_token: await manager.issueToken(given) }),
  'POST /tokens/revoke': (manager, given) => json({ revoked: manager.revoke(textIn(given, 'token')) }),
  'POST /publish': (manager, given) => {
    const { body } = given
    if (typeof body !== 'object' || body === null) return crestError(400, 'body: expected an object')
    manager.publish(textIn(given, 'topic'), body)
    return done()
  },
  'PUT /policies': (manager, given) => {
    manager.putPolicy(given as unknown as Policy)
    return done()
  },
  'DELETE /policies/{}': (manager, _, name) => json({ removed: manager.removePolicy(name) }),
  'POST /keys/rotate': (manager) => {
    manager.rotateKeys()
    return done()
  },
}

function textIn(given: Given, name: string): string {
  const value = given[name]
  if (typeof value !== 'string') throw new Error(`${name}: expected a text, got ${JSON.stringify(value)}`)
  return value
}

function numberIn(given: Given, name: string): number {
  const value = given[name]
  if (typeof value !== 'number') throw new Error(`${name}: expected a number, got ${JSON.stringify(value)}`)
  return value
}
