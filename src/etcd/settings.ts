import type { ClientTls } from '#contracts'
import { Uri } from '#http'

/** Settings of a client of etcd. Times are milliseconds. */
export interface EtcdSettings {
  /** Client URLs of members, such as `https://etcd-1:2379`. */
  readonly endpoints: readonly string[]
  /** Null for no authentication. */
  readonly username: string | null
  /** Read for each authentication, so that a renewed secret is used; null where it is missing. */
  readonly password: () => string | null
  /** Private trust and client certificate; null for the trust of the platform. */
  readonly tls: ClientTls | null
  /** Until one endpoint has answered a request completely; 5 s by default. */
  readonly callTimeout?: number
  /** Until a connection is established, TLS included; 2 s by default. */
  readonly connectTimeout?: number
  /** Pause between the checks that the member of a watch still answers; 10 s by default. */
  readonly watchCheckInterval?: number
  /** Selects the first endpoint, and spreads the checks of watches. */
  readonly random?: () => number
}

const MAX_ENDPOINTS = 32

/** The origins of the endpoints. Throws an error that says which one is not usable, and why. */
export function originsOf(endpoints: readonly string[]): string[] {
  if (endpoints.length === 0 || endpoints.length > MAX_ENDPOINTS)
    throw new Error(`endpoints: expected 1 to ${MAX_ENDPOINTS} URLs, got ${endpoints.length}`)
  return [...new Set(endpoints.map(originOf))]
}

function originOf(endpoint: string, index: number): string {
  const problem = (expected: string) => new Error(`endpoints[${index}]: expected ${expected}`)
  // The text may have credentials: it is not part of the message.
  if (!/^https?:\/\//i.test(endpoint) || !URL.canParse(endpoint))
    throw problem('a URL such as https://etcd-1:2379, got another text')
  const { username, password, pathname, search, hash } = new URL(endpoint)
  if (username !== '' || password !== '')
    throw problem('a URL without user and password: username and passwordSecretId have their own fields')
  if (pathname !== '/' || search !== '' || hash !== '') throw problem('a URL without path and query')
  return Uri.parse(endpoint).origin
}
