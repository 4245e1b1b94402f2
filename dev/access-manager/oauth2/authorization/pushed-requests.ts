import type { Clock } from '#schema'
import type { Call, Endpoint } from '../../http/call.ts'
import { type EndpointResponse, json, oauthError } from '../../http/endpoint-response.ts'
import { BoundedMap } from '../../state/bounded-map.ts'
import { randomToken } from '../../state/identifiers.ts'
import type { ClientAuthentication } from '../client-authentication.ts'
import { readForm } from '../form.ts'

const PREFIX = 'urn:ietf:params:oauth:request_uri:'
const LIFETIME = 90_000
const MOST = 10_000
const CREDENTIALS = ['client_secret', 'client_assertion', 'client_assertion_type']

/** `par` (RFC 9126): pushed authorization requests. */
export class PushedRequests implements Endpoint {
  readonly name = 'par'
  readonly methods = ['POST']
  readonly #clients: ClientAuthentication
  readonly #clock: Clock
  readonly #requests = new BoundedMap<string, { readonly query: URLSearchParams; readonly endsAt: number }>(MOST)

  constructor(clients: ClientAuthentication, clock: Clock) {
    this.#clients = clients
    this.#clock = clock
  }

  async handle(call: Call): Promise<EndpointResponse> {
    const form = readForm(call)
    if (!(form instanceof URLSearchParams)) return form
    const party = await this.#clients.authenticate(call, form, { agents: false, isPushed: true })
    if ('status' in party) return party
    if (!('client' in party)) return oauthError('invalid_client', 'Client authentication failed', 401)
    if (form.has('request_uri')) return oauthError('invalid_request', 'request_uri can not be pushed')
    for (const name of CREDENTIALS) form.delete(name)
    form.set('client_id', party.client.id)
    const uri = PREFIX + randomToken()
    this.#requests.set(uri, { query: form, endsAt: this.#clock.now() + LIFETIME })
    return json({ request_uri: uri, expires_in: LIFETIME / 1000 }, 201, { 'Cache-Control': 'no-store' })
  }

  /** The request of a query: itself, or the pushed one by `request_uri`; null where that is unknown or of another client. */
  resolve(query: URLSearchParams): URLSearchParams | null {
    const uri = query.get('request_uri')
    if (uri === null) return query
    const pushed = this.#requests.get(uri)
    if (pushed === undefined || pushed.endsAt <= this.#clock.now()) return null
    return pushed.query.get('client_id') === query.get('client_id') ? pushed.query : null
  }
}
