import { randomUUID } from 'node:crypto'
import type { JsonObject } from '#json'
import { answerJson } from './introspection-server.ts'
import { httpUpstream } from './upstream.ts'

/** A call of the protection API. */
interface ProtectionCall {
  readonly target: string
  readonly authorization: string
  readonly body: string
}

/** An authorization server for UMA 2.0, and for the parts of UMA 1.0 that OpenAM has. */
export interface UmaServer extends AsyncDisposable {
  readonly url: string
  readonly wellKnown: string
  readonly calls: ProtectionCall[]
  /** Registered resources by id. */
  readonly resources: Map<string, JsonObject>
  /** Introspection results by token; unknown tokens are not active. */
  readonly tokens: Map<string, JsonObject>
  /** Status and content of all further responses while it is set. */
  fault: { readonly status: number; readonly content: unknown } | null
}

/** Opens a server on a free loopback port. */
export async function umaServer(): Promise<UmaServer> {
  const calls: ProtectionCall[] = []
  const resources = new Map<string, JsonObject>()
  const tokens = new Map<string, JsonObject>()
  const upstream = await httpUpstream(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    const { url: target = '', headers } = request
    if (target.includes('.well-known')) return answerJson(response, 200, metadata(upstream.url))
    calls.push({ target, authorization: headers.authorization ?? '', body })
    if (server.fault !== null) return answerJson(response, server.fault.status, server.fault.content)
    if (target.endsWith('/resource_set')) {
      const id = randomUUID()
      resources.set(id, JSON.parse(body) as JsonObject)
      return answerJson(response, 201, { _id: id, user_access_policy_uri: `${upstream.url}/policies/${id}` })
    }
    if (target.endsWith('/permission_request')) return answerJson(response, 201, { ticket: `ticket-${calls.length}` })
    const token = new URLSearchParams(body).get('token') ?? ''
    return answerJson(response, 200, tokens.get(token) ?? { active: false })
  })
  const server: UmaServer = {
    url: upstream.url,
    wellKnown: `${upstream.url}/uma/.well-known/uma2-configuration`,
    calls,
    resources,
    tokens,
    fault: null,
    [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose](),
  }
  return server
}

function metadata(url: string): JsonObject {
  return {
    issuer: `${url}/uma`,
    introspection_endpoint: `${url}/oauth2/introspect`,
    permission_endpoint: `${url}/uma/permission_request`,
    resource_registration_endpoint: `${url}/uma/resource_set`,
  }
}
