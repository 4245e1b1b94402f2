import { type Call, cookieOf, type Endpoint, headerOf } from '../http/call.ts'
import { crestError } from '../http/endpoint-response.ts'
import { isMediaType } from '../http/request-body.ts'
import type { CompleteSettings } from '../settings.ts'
import type { Sessions } from '../state/sessions.ts'

/** Rejects requests that real servers reject before the endpoint: bodies that are no JSON, and sessions of two users. */
export function withRequestChecks(
  { family, cookieName }: CompleteSettings,
  sessions: Sessions,
  endpoints: Readonly<Record<string, Endpoint>>,
): Readonly<Record<string, Endpoint>> {
  const nameOf = (token: string | undefined) => sessions.find(token)?.universalId
  const hasTwoUsers = ({ headers }: Call): boolean => {
    const [cookie, header] = [nameOf(cookieOf(headers, cookieName)), nameOf(headerOf(headers, cookieName))]
    return family === 'openam' && cookie !== undefined && header !== undefined && cookie !== header
  }
  const strict = (endpoint: Endpoint): Endpoint => ({
    name: endpoint.name,
    methods: endpoint.methods,
    handle: (call) => {
      // `authenticate` has its own response for this.
      const isJson = call.body === '' || isMediaType(call.headers['content-type'], 'application/json')
      if (!isJson && endpoint.name !== 'authenticate') return crestError(400, 'Content-Type must be application/json')
      return hasTwoUsers(call) ? crestError(403, 'Access Denied') : endpoint.handle(call)
    },
  })
  return Object.fromEntries(Object.entries(endpoints).map(([path, endpoint]) => [path, strict(endpoint)]))
}
