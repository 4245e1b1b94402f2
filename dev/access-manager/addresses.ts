import { realmSegments } from './http/realm-path.ts'

/** How the server names its own addresses. They never follow the Host header. */
export class Addresses {
  /** Base address without a slash at its end. */
  readonly base: string

  constructor(base: string) {
    this.base = base
  }

  /** `iss` of a realm: the short form for the root. */
  readonly issuerOf = (realm: string): string =>
    realm === '/' ? `${this.base}/oauth2` : `${this.base}/oauth2${realmSegments(realm)}`

  /** An OAuth 2.0 endpoint of a realm. */
  readonly endpointOf = (realm: string, path: string): string => `${this.issuerOf(realm)}/${path}`

  /** The token endpoint in each spelling that leads to it. */
  readonly tokenEndpoints = (realm: string): string[] => [
    this.endpointOf(realm, 'access_token'),
    `${this.base}/oauth2${realmSegments(realm)}/access_token`,
  ]

  /** What a client assertion may name as its audience. */
  readonly audiences = (realm: string): string[] => [this.issuerOf(realm), ...this.tokenEndpoints(realm)]
}
