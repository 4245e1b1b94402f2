import type { IncomingHttpHeaders } from 'node:http'
import type { Call, Endpoint } from './call.ts'
import { crestError, type EndpointResponse, oauthError } from './endpoint-response.ts'
import { readRealmPath } from './realm-path.ts'

/** The endpoints of the server by the path below the realm; a final `{}` matches the rest of the path. */
export interface Endpoints {
  readonly json: Readonly<Record<string, Endpoint>>
  readonly oauth2: Readonly<Record<string, Endpoint>>
  /** Pages for browsers, by their whole path below the context path. */
  readonly pages: Readonly<Record<string, Endpoint>>
}

/** The endpoint of a request, or an immediate response. */
export type Destination =
  | { readonly endpoint: Endpoint; readonly realm: string; readonly rest: string }
  | { readonly answer: EndpointResponse }

/** Finds the endpoint of a path below the context path. */
export function findEndpoint(
  path: string,
  query: URLSearchParams,
  endpoints: Endpoints,
  realms: ReadonlySet<string>,
): Destination {
  const segments = decoded(path)
  const [family, ...below] = segments ?? []
  if (family !== 'json' && family !== 'oauth2') {
    const page = segments === null ? undefined : pageAt(segments.join('/'), endpoints)
    const realm = query.get('realm') ?? '/'
    if (page === undefined || !realms.has(realm)) return { answer: crestError(404, 'Not found') }
    return { endpoint: page, realm, rest: '' }
  }
  const notFound = (message: string): Destination => ({
    answer: family === 'json' ? crestError(404, message) : oauthError('not_found', message, 404),
  })
  const place = readRealmPath(below, realms)
  if (place === null) return notFound('Realm not found')
  const realm = query.get('realm') ?? place.realm
  if (!realms.has(realm)) return notFound('Realm not found')
  const table = endpoints[family]
  const exact = Object.hasOwn(table, place.resource) ? table[place.resource] : undefined
  if (exact !== undefined) return { endpoint: exact, realm, rest: '' }
  const at = place.resource.indexOf('/')
  const open = at < 0 ? undefined : `${place.resource.slice(0, at)}/{}`
  const endpoint = open !== undefined && Object.hasOwn(table, open) ? table[open] : undefined
  if (endpoint === undefined) return notFound(`Resource '${place.resource}' not found`)
  return { endpoint, realm, rest: place.resource.slice(at + 1) }
}

/** Calls an endpoint, if it has the method. */
export async function callEndpoint(
  { endpoint, realm, rest }: Extract<Destination, { endpoint: Endpoint }>,
  request: { method: string; query: URLSearchParams; headers: IncomingHttpHeaders; body: string },
): Promise<EndpointResponse> {
  if (!endpoint.methods.includes(request.method))
    return crestError(405, 'Method not allowed', { Allow: endpoint.methods.join(', ') })
  const call: Call = { ...request, realm, rest }
  return endpoint.handle(call)
}

function pageAt(path: string, { pages }: Endpoints): Endpoint | undefined {
  return Object.hasOwn(pages, path) ? pages[path] : undefined
}

function decoded(path: string): string[] | null {
  try {
    return path
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent)
  } catch {
    return null
  }
}
