import type { Call, Endpoint } from '../http/call.ts'
import { type EndpointResponse, json, oauthError } from '../http/endpoint-response.ts'
import type { Client } from '../state/accounts.ts'
import type { IssuedToken } from '../state/tokens.ts'
import type { ClientAuthentication } from './client-authentication.ts'
import type { DpopProofs } from './dpop-proof.ts'
import { readForm } from './form.ts'

export interface GrantRequest {
  readonly call: Call
  readonly form: URLSearchParams
  readonly client: Client
  /** Thumbprint of the key of the DPoP proof (RFC 9449); null without a proof. */
  readonly thumbprint: string | null
}

/** Tokens issued by a grant type. */
export interface Issued {
  readonly access: IssuedToken
  readonly refresh?: IssuedToken | null
  /** Further fields of the response. */
  readonly fields?: Readonly<Record<string, unknown>>
}

export type GrantType = (request: GrantRequest) => Promise<Issued | EndpointResponse>

/** `access_token`: tokens for clients, by grant type. */
export class TokenEndpoint implements Endpoint {
  readonly name = 'access_token'
  readonly methods = ['POST']
  readonly #clients: ClientAuthentication
  readonly #proofs: DpopProofs
  readonly #grantTypes: Readonly<Record<string, GrantType>>

  constructor(clients: ClientAuthentication, proofs: DpopProofs, grantTypes: Readonly<Record<string, GrantType>>) {
    this.#clients = clients
    this.#proofs = proofs
    this.#grantTypes = grantTypes
  }

  async handle(call: Call): Promise<EndpointResponse> {
    const form = readForm(call)
    if (!(form instanceof URLSearchParams)) return form
    const party = await this.#clients.authenticate(call, form, { agents: false })
    if ('status' in party) return party
    if (!('client' in party)) return oauthError('invalid_client', 'Client authentication failed', 401)
    const { client } = party
    const type = form.get('grant_type')
    if (type === null || type === '') return oauthError('invalid_request', 'grant_type is required')
    const grantType = Object.hasOwn(this.#grantTypes, type) ? this.#grantTypes[type] : undefined
    if (grantType === undefined) return oauthError('unsupported_grant_type', `Grant type is not supported: ${type}`)
    const proof = call.headers['dpop']
    const thumbprint = proof === undefined ? null : await this.#proofs.verify(String(proof), call)
    if (thumbprint === undefined) return oauthError('invalid_dpop_proof', 'The DPoP proof is not good')
    const issued = await grantType({ call, form, client, thumbprint })
    return 'status' in issued ? issued : answerOf(issued)
  }
}

/** RFC 6749 section 5.1, `no-store`. */
function answerOf({ access, refresh, fields }: Issued): EndpointResponse {
  const body = {
    access_token: access.value,
    ...(refresh ? { refresh_token: refresh.value } : {}),
    scope: access.scopes.join(' '),
    token_type: access.tokenType,
    expires_in: Math.max(0, Math.ceil((access.expiresAt - access.issuedAt) / 1000) - 1),
    ...fields,
  }
  return json(body, 200, { 'Cache-Control': 'no-store', Pragma: 'no-cache' })
}
