import type { Call, Endpoint } from '../http/call.ts'
import { type EndpointResponse, json, oauthError } from '../http/endpoint-response.ts'
import { isOf, type Tokens } from '../state/tokens.ts'
import type { ClientAuthentication } from './client-authentication.ts'
import { readForm } from './form.ts'

/** `token/revoke` (RFC 7009): a client revokes one of its tokens. */
export class Revocation implements Endpoint {
  readonly name = 'revoke'
  readonly methods = ['POST']
  readonly #clients: ClientAuthentication
  readonly #tokens: Tokens

  constructor(clients: ClientAuthentication, tokens: Tokens) {
    this.#clients = clients
    this.#tokens = tokens
  }

  async handle(call: Call): Promise<EndpointResponse> {
    const form = readForm(call)
    if (!(form instanceof URLSearchParams)) return form
    const party = await this.#clients.authenticate(call, form, { agents: false })
    if ('status' in party) return party
    const value = form.get('token')
    if (value === null || value === '') return oauthError('invalid_request', 'Missing parameter: token')
    const token = this.#tokens.find(value)
    // An unknown token counts as revoked (RFC 7009 section 2.2).
    if (token === undefined) return json({})
    if (!('client' in party) || !isOf(token.grant, party.client))
      return oauthError('unauthorized_client', 'The token was issued to another client')
    this.#tokens.revoke(token)
    return json({})
  }
}
