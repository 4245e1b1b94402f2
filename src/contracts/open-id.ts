import type { Exchange, Handler } from '#http'
import type { JsonObject } from '#json'
import { kind } from '#schema'

/** An authorization server that users log in at. */
export interface Issuer {
  /** Name of the object in the heap. */
  readonly name: string
  /** Server metadata (RFC 8414); read on first use. */
  metadata(): Promise<JsonObject & { readonly issuer: string }>
  /** Sends requests to the server. */
  readonly handler: Handler
  /** Whether the configuration assigns a mail domain to this issuer. */
  servesDomain(domain: string): boolean
  /** Accepted clock skew in milliseconds. */
  readonly idTokenSkew: number
  /** Why the signature of a JWT is invalid; null for a valid one. `sharedSecret` verifies HMAC signatures. */
  signatureProblem(jwt: string, sharedSecret: Buffer | null): Promise<string | null>
}

/** The gateway as a client of an authorization server. */
export interface ClientRegistration {
  readonly clientId: string
  readonly issuer: Issuer
  readonly scopes: readonly string[]
  readonly pkce: 'S256' | 'plain' | 'none'
  /** `response_mode` of authorization requests; null for the default of the server. */
  readonly responseMode: 'query' | 'form_post' | 'jwt' | 'query.jwt' | 'form_post.jwt' | null
  /** Further parameters of the authorization request for a request. */
  parameters(exchange: Exchange): Promise<Readonly<Record<string, string>>>
  /** Names of query parameters that `login` forwards to the issuer. */
  readonly passParameters: readonly string[]
  /** When user info is fetched: on the first read of `user_info`, at every login, or never. */
  readonly userInfo: 'auto' | 'always' | 'never'
  /** Parts of a login that are stored in the session. */
  readonly sessionContent: readonly ('accessToken' | 'refreshToken' | 'idToken' | 'claims')[]
  /** Sends requests for user info. */
  readonly handler: Handler
  /** Sends requests with client authentication. */
  readonly authenticatedHandler: Handler
  /** Why an ID token is invalid; null for a valid one. */
  idTokenProblem(idToken: string): Promise<string | null>
  /** Why the signature of a JWT by the issuer for this client is invalid; null for a valid one. */
  signatureProblem(jwt: string): Promise<string | null>
  /** The content of a JWE for this client. Throws OpenIdError where it can not be decrypted. */
  decrypt(jwe: string): Promise<string>
}

export const IssuerKind = kind<Issuer>('Issuer')

export const ClientRegistrationKind = kind<ClientRegistration>('ClientRegistration')
