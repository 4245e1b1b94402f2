import type { UmaEndpoints, UmaShare } from '#contracts'
import {
  Body,
  type Exchange,
  formatForm,
  type Handler,
  Headers,
  internalCall,
  internalExchange,
  Request,
  Uri,
} from '#http'
import { violations } from '#jose'
import { isPlainObject, type JsonObject, type JsonValue, jsonObjectIn } from '#json'
import type { Secret } from '#schema'

/** A failed call of the protection API. Contains no token and no content of a response. */
class ProtectionApiError extends Error {
  override readonly name = 'ProtectionApiError'
}

/** A resource at the authorization server. */
interface RegisteredResource {
  readonly id: string
  /** Page on which the owner sets policies; null where the server names none. */
  readonly policyUri: string | null
}

/** Milliseconds. */
const TIMEOUT = 10_000
const MAX_BYTES = 1_048_576
const MAX_ID = 1_024
/** Characters of a quoted parameter without escapes (RFC 9110 section 5.6.4). */
const TICKET = /^[\x21\x23-\x5b\x5d-\x7e]{1,16384}$/

/** The protection API of an authorization server: Federated Authorization for UMA 2.0, and UMA 1.0.1. */
export class ProtectionApi {
  readonly #handler: Handler
  readonly #endpoints: UmaEndpoints

  constructor(handler: Handler, endpoints: UmaEndpoints) {
    this.#handler = handler
    this.#endpoints = endpoints
  }

  /** Registers a resource with all of its scopes. */
  async register(name: string, scopes: readonly string[], pat: Secret): Promise<RegisteredResource> {
    const { version, registration } = this.#endpoints
    const description = { name, [version === '2.0' ? 'resource_scopes' : 'scopes']: [...scopes] }
    const answer = await this.#call(registration, jsonContent(description), bearer(pat), null, 201)
    const id = answer['_id']
    if (typeof id !== 'string' || id === '' || id.length > MAX_ID)
      throw new ProtectionApiError('the registration endpoint: expected a text in "_id"')
    const policyUri = answer['user_access_policy_uri']
    return { id, policyUri: typeof policyUri === 'string' ? policyUri : null }
  }

  /** A ticket for the permissions that a request needs (Federated Authorization section 4). */
  async ticket(share: UmaShare, scopes: ReadonlySet<string>, exchange: Exchange): Promise<string> {
    const { version, permission } = this.#endpoints
    const wanted: JsonValue =
      version === '2.0'
        ? [{ resource_id: share.resourceId, resource_scopes: [...scopes] }]
        : { resource_set_id: share.resourceId, scopes: [...scopes] }
    const { ticket } = await this.#call(permission, jsonContent(wanted), bearer(share.pat), exchange, 201)
    if (typeof ticket !== 'string' || !TICKET.test(ticket))
      throw new ProtectionApiError('the permission endpoint: expected a text in "ticket"')
    return ticket
  }

  /** The scopes that a requesting party token has for a share; null where the token is not active. */
  async scopes(token: string, share: UmaShare, now: number, exchange: Exchange): Promise<ReadonlySet<string> | null> {
    const { introspection, client } = this.#endpoints
    const form: Record<string, string[]> = { token: [token], token_type_hint: ['requesting_party_token'] }
    if (client !== null) {
      form['client_id'] = [client.id]
      form['client_secret'] = [(await client.secret()).revealText()]
    }
    const content = { type: 'application/x-www-form-urlencoded', text: formatForm(form) }
    const authorization = client === null ? bearer(share.pat) : null
    const answer = await this.#call(introspection, content, authorization, exchange, 200)
    return answer['active'] === true && isValid(answer, now) ? scopesIn(answer, share.resourceId, now) : null
  }

  async #call(
    endpoint: string,
    content: { readonly type: string; readonly text: string },
    authorization: string | null,
    exchange: Exchange | null,
    expected: number,
  ): Promise<JsonObject> {
    const body = Body.of(content.text)
    const headers = new Headers([
      ['Content-Type', content.type],
      ['Content-Length', String(body.length)],
      ['Accept', 'application/json'],
    ])
    if (authorization !== null) headers.set('Authorization', authorization)
    const request = new Request({ method: 'POST', uri: Uri.parse(endpoint), headers, body })
    const { path } = request.uri
    const call = internalCall(this.#handler, internalExchange(request, exchange), {
      timeout: TIMEOUT,
      maxBytes: MAX_BYTES,
    })
    const response = await call.catch((cause: Error) => {
      throw new ProtectionApiError(`${path}: ${cause.message}`, { cause })
    })
    if (response.status !== expected)
      throw new ProtectionApiError(`${path}: expected the status ${expected}, got ${response.status}`)
    const answer = jsonObjectIn(response.body)
    if (answer === null) throw new ProtectionApiError(`${path}: expected a JSON object`)
    return answer
  }
}

/** Permissions of a token (Federated Authorization section 5.1.1); those of UMA 1.0 have other names. */
function scopesIn({ permissions }: JsonObject, resourceId: string, now: number): ReadonlySet<string> {
  const scopes = new Set<string>()
  for (const permission of Array.isArray(permissions) ? permissions : []) {
    if (!isPlainObject(permission) || !isValid(permission as JsonObject, now)) continue
    const { resource_id: id = null, resource_set_id: olderId = null, resource_scopes, scopes: older } = permission
    if ((id ?? olderId) !== resourceId) continue
    const granted = resource_scopes ?? older
    for (const scope of Array.isArray(granted) ? granted : []) if (typeof scope === 'string') scopes.add(scope)
  }
  return scopes
}

/** Whether a response, or a permission in it, is about a requesting party token whose time is now; without times as the server says. */
function isValid(answer: JsonObject, now: number): boolean {
  return violations(null, answer, { kind: 'requestingPartyToken', times: { now } }).length === 0
}

function bearer(pat: Secret): string {
  return `Bearer ${pat.revealText()}`
}

function jsonContent(value: JsonValue): { readonly type: string; readonly text: string } {
  return { type: 'application/json', text: JSON.stringify(value) }
}
