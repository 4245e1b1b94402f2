import type { Exchange, Handler } from '#http'
import type { JsonObject } from '#json'
import { kind } from '#schema'

/** An authorization server that users log in at. */
export interface Issuer {
  /** The name users know it by: that of the object in the heap. */
  readonly name: string
  /** Server metadata (RFC 8414); read on first use. */
  metadata(): Promise<JsonObject & { readonly issuer: string }>
  /** Sends requests to the server. */
  readonly handler: Handler
  /** Whether users of a mail domain log in here, by configuration. */
  servesDomain(domain: string): boolean
  /** Milliseconds by which its clock may differ. */
  readonly idTokenSkew: number
  /** Why a JWT is not signed by this server; null where it is. `sharedSecret` verifies HMAC signatures. */
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
  /** Further parameters of an authorization request that a request causes. */
  parameters(exchange: Exchange): Promise<Readonly<Record<string, string>>>
  /** Names of parameters that `login` passes on. */
  readonly passParameters: readonly string[]
  /** When the user info endpoint is asked: where something reads `user_info`, in any case, or never. */
  readonly userInfo: 'auto' | 'always' | 'never'
  /** What sessions keep of a login. */
  readonly sessionContent: readonly ('accessToken' | 'refreshToken' | 'idToken' | 'claims')[]
  /** Sends requests for user info. */
  readonly handler: Handler
  /** Sends requests with client authentication. */
  readonly authenticatedHandler: Handler
  /** Why an ID token is not to be believed; null where it is. */
  idTokenProblem(idToken: string): Promise<string | null>
  /** Why any JWT is not signed by the issuer for this client; null where it is. */
  signatureProblem(jwt: string): Promise<string | null>
  /** The content of a JWE for this client. Throws OpenIdError where it can not be decrypted. */
  decrypt(jwe: string): Promise<string>
}

/** Objects that stand for an authorization server users log in at. */
export const IssuerKind = kind<Issuer>('Issuer')

/** Objects that stand for the gateway as a client of an authorization server. */
export const ClientRegistrationKind = kind<ClientRegistration>('ClientRegistration')
