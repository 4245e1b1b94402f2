import type { Call, Endpoint } from '../http/call.ts'
import { crestError, type EndpointResponse, json } from '../http/endpoint-response.ts'
import { readJsonObject } from '../http/request-body.ts'
import { callerOf } from '../json/caller.ts'
import type { Session } from '../state/sessions.ts'
import { type EvaluationParts, evaluate } from './evaluation.ts'
import { checkPolicy, type Policy } from './policy.ts'
import { type PolicyStore, setOf } from './policy-store.ts'

interface PolicyParts extends EvaluationParts {
  readonly cookieName: string
}

type Work = (store: PolicyStore, body: Readonly<Record<string, unknown>>, caller: Session) => EndpointResponse

/** `policies`: decisions for agents, and create, read, update and delete for administrators. */
export function policyEndpoint(parts: PolicyParts): Endpoint {
  return {
    name: 'policies',
    methods: ['GET', 'POST', 'PUT', 'DELETE'],
    handle: (call) => {
      const action = call.query.get('_action')
      if (call.method === 'POST' && action === 'evaluate') {
        const mayAsk = ({ owner }: Session): boolean => owner.kind === 'agent' || owner.admin
        return withCaller(parts, call, mayAsk, (_, body, caller) => evaluate(parts, call, caller, body))
      }
      return asAdministrator(parts, call, (store, body) => administer(call, action, store, body))
    },
  }
}

/** `applications`: the policy sets, which have only a name here. */
export function policySetEndpoint(parts: PolicyParts): Endpoint {
  return {
    name: 'applications',
    methods: ['GET', 'POST', 'PUT', 'DELETE'],
    handle: (call) =>
      asAdministrator(parts, call, (store, body) => {
        const name = call.rest === '' ? body['name'] : call.rest
        if (call.method === 'GET' && call.rest === '')
          return listing([...store.sets].map((set) => ({ _id: set, name: set })))
        if (typeof name !== 'string' || name === '') return crestError(400, 'name: expected a text')
        if (call.method === 'POST' || call.method === 'PUT') {
          store.addSet(name)
          return json({ _id: name, name }, call.method === 'POST' ? 201 : 200)
        }
        const found = call.method === 'DELETE' ? store.removeSet(name) : store.sets.has(name)
        return found ? json({ _id: name, name }) : crestError(404, `Policy set ${JSON.stringify(name)} not found`)
      }),
  }
}

function administer(
  call: Call,
  action: string | null,
  store: PolicyStore,
  body: Readonly<Record<string, unknown>>,
): EndpointResponse {
  const { method, rest } = call
  if (rest === '' && method === 'GET') return listing(store.list().map(view))
  if (rest === '' && method === 'POST' && action === 'create') {
    if (store.get(String(body['name'])) !== undefined) return crestError(409, 'Policy already exists')
    return put(store, body, 201)
  }
  const found = store.get(rest)
  if (rest === '' || method === 'POST')
    return crestError(501, `Action '${action ?? ''}' not implemented for this resource`)
  if (found === undefined) return crestError(404, `Policy ${JSON.stringify(rest)} not found`)
  if (method === 'PUT') return put(store, { ...body, name: rest }, 200)
  if (method === 'DELETE') store.remove(rest)
  return json(method === 'DELETE' ? {} : view(found))
}

function put(store: PolicyStore, given: unknown, status: number): EndpointResponse {
  try {
    checkPolicy(given)
    if (!store.sets.has(setOf(given))) return crestError(400, `applicationName: no policy set ${setOf(given)}`)
    store.put(given)
    return json(view(given), status)
  } catch (error) {
    return crestError(400, (error as Error).message)
  }
}

function view(policy: Policy): object {
  return { _id: policy.name, active: true, applicationName: setOf(policy), ...policy }
}

function listing(result: readonly object[]): EndpointResponse {
  return json({ result, resultCount: result.length, pagedResultsCookie: null, remainingPagedResults: -1 })
}

function asAdministrator(parts: PolicyParts, call: Call, work: Work): EndpointResponse {
  return withCaller(parts, call, ({ owner }) => owner.admin, work)
}

function withCaller(parts: PolicyParts, call: Call, may: (caller: Session) => boolean, work: Work): EndpointResponse {
  const caller = callerOf(call.headers, parts.cookieName, parts.sessions)
  if (caller === undefined) return crestError(401, 'Access Denied')
  if (!may(caller)) return crestError(403, 'Access Denied')
  parts.sessions.touch(caller)
  const body = readJsonObject(call.body)
  if (body === null) return crestError(400, 'The request body is not a JSON object')
  return work(parts.storeOf(call.realm), body, caller)
}
