import { realmSegments } from './http/realm-path.ts'

/** The URLs of the server itself, independent of the Host header. */
export class Addresses {
  /** Base URL without a trailing slash. */
  readonly base: string

  constructor(base: string) {
    this.base = base
  }

  /** `iss` of a realm: the short form for the root. */
  readonly issuerOf = (realm: string): string =>
    realm === '/' ? `${this.base}/oauth2` : `${this.base}/oauth2${realmSegments(realm)}`

  /** An OAuth 2.0 endpoint of a realm. */
  readonly endpointOf = (realm: string, path: string): string => `${this.issuerOf(realm)}/${path}`

  /** All URLs of the token endpoint. */
  readonly tokenEndpoints = (realm: string): string[] => [
    this.endpointOf(realm, 'access_token'),
    `${this.base}/oauth2${realmSegments(realm)}/access_token`,
  ]

  /** Accepted audiences of client assertions. */
  readonly audiences = (realm: string): string[] => [this.issuerOf(realm), ...this.tokenEndpoints(realm)]
}
