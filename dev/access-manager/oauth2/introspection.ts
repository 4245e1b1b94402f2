import type { Call, Endpoint } from '../http/call.ts'
import { type EndpointResponse, json, oauthError } from '../http/endpoint-response.ts'
import { isWithin } from '../http/realm-path.ts'
import type { Family } from '../settings.ts'
import type { IssuedToken, Tokens } from '../state/tokens.ts'
import type { ClientAuthentication, Party } from './client-authentication.ts'
import { readForm } from './form.ts'
import { subjectOf } from './subject-name.ts'

interface IntrospectionSettings {
  readonly family: Family
  readonly issuerOf: (realm: string) => string
  readonly now: () => number
}

/** `introspect` (RFC 7662). */
export class Introspection implements Endpoint {
  readonly name = 'introspect'
  readonly methods = ['POST', 'GET']
  readonly #clients: ClientAuthentication
  readonly #tokens: Tokens
  readonly #settings: IntrospectionSettings

  constructor(clients: ClientAuthentication, tokens: Tokens, settings: IntrospectionSettings) {
    this.#clients = clients
    this.#tokens = tokens
    this.#settings = settings
  }

  async handle(call: Call): Promise<EndpointResponse> {
    const { family } = this.#settings
    const form = call.method === 'GET' ? call.query : readForm(call)
    if (!(form instanceof URLSearchParams)) return form
    const party = await this.#clients.authenticate(call, form, { agents: true })
    if ('status' in party) return party
    const value = form.get('token')
    if (value === null || value === '')
      return oauthError(family === 'pingam' ? 'invalid_request' : 'server_error', 'Missing parameter: token')
    const token = this.#tokens.find(value)
    if (token === undefined || !this.#mayAsk(party, token, call.realm)) return json({ active: false })
    return json(family === 'pingam' ? this.#pingam(token) : this.#openam(token))
  }

  #mayAsk(party: Party, { grant }: IssuedToken, realm: string): boolean {
    const sameRealm = grant.realm === realm
    if ('agent' in party) {
      // At OpenAM an agent is a client, which can introspect its own tokens only.
      if (this.#settings.family === 'openam') return false
      const { introspection = 'realm' } = party.agent
      if (introspection === 'none') return false
      return sameRealm || (introspection === 'realm-and-subrealms' && isWithin(grant.realm, realm))
    }
    if (!sameRealm) return false
    const { client } = party
    return client.id === grant.clientId || (this.#settings.family === 'pingam' && client.introspectsAll === true)
  }

  #pingam(token: IssuedToken): object {
    const { grant } = token
    return {
      active: true,
      scope: token.scopes.join(' '),
      realm: grant.realm,
      client_id: grant.clientId,
      user_id: grant.subject.name,
      username: grant.subject.name,
      token_type: token.tokenType,
      exp: Math.floor(token.expiresAt / 1000),
      sub: subjectOf(grant, 'pingam'),
      subname: grant.subject.name,
      iss: this.#settings.issuerOf(grant.realm),
      auth_level: 0,
      authGrantId: grant.id,
      auditTrackingId: token.trackingId,
      expires_in: Math.floor((token.expiresAt - this.#settings.now()) / 1000),
      ...(token.confirmation === null ? {} : { cnf: token.confirmation }),
      ...token.extra,
    }
  }

  #openam(token: IssuedToken): object {
    const { grant } = token
    return {
      active: true,
      scope: token.scopes.join(' '),
      client_id: grant.clientId,
      user_id: grant.subject.name,
      token_type: `${token.kind}_token`,
      exp: Math.floor(token.expiresAt / 1000),
      sub: subjectOf(grant, 'openam'),
      iss: this.#settings.issuerOf(grant.realm),
      ...(token.confirmation === null ? {} : { cnf: token.confirmation }),
    }
  }
}
