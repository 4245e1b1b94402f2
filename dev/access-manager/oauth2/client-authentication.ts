import type { Call } from '../http/call.ts'
import { type EndpointResponse, oauthError } from '../http/endpoint-response.ts'
import type { Family } from '../settings.ts'
import type { Agent, Client, ClientAuthenticationMethod, Directory } from '../state/accounts.ts'
import type { ClientAssertions } from './client-assertion.ts'

/** The caller of a token endpoint. */
export type Party = { readonly client: Client } | { readonly agent: Agent }

interface Presented {
  readonly method: ClientAuthenticationMethod
  readonly id: string
  readonly secret: string
}

/** Authenticates the client or agent of a request. */
export class ClientAuthentication {
  readonly #directory: Directory
  readonly #assertions: ClientAssertions
  readonly #family: Family

  constructor(directory: Directory, assertions: ClientAssertions, family: Family) {
    this.#directory = directory
    this.#assertions = assertions
    this.#family = family
  }

  /** The client; `agents`: whether an agent is accepted too; `isPushed`: `client_id` is a parameter of the form. */
  async authenticate(
    call: Call,
    form: URLSearchParams,
    { agents, isPushed = false }: { readonly agents: boolean; readonly isPushed?: boolean },
  ): Promise<Party | EndpointResponse> {
    const presented = presentedBy(call, form, isPushed, this.#family)
    if (presented === 'several')
      return oauthError('invalid_request', 'More than one client authentication method was used')
    if (presented === null) {
      const hasNone = this.#family === 'openam' && call.headers.authorization === undefined
      return hasNone ? oauthError('invalid_client', 'Client authentication failed') : invalidClient(call)
    }
    const { method, id, secret } = presented
    if (method === 'private_key_jwt') {
      const client = await this.#assertions.verify(secret, id, call.realm)
      return client === undefined || !allows(client, method) ? invalidClient(call) : { client }
    }
    const client = this.#directory.authenticateClient(call.realm, id, secret)
    if (client !== undefined && allows(client, method)) return { client }
    const agent = agents ? this.#directory.authenticateAgent(call.realm, id, secret) : undefined
    return agent === undefined ? invalidClient(call) : { agent }
  }
}

function allows(client: Client, method: ClientAuthenticationMethod): boolean {
  return client.authenticationMethod === undefined || client.authenticationMethod === method
}

function invalidClient({ headers }: Call): EndpointResponse {
  const challenge = headers.authorization === undefined ? {} : { 'WWW-Authenticate': 'Basic realm="/"' }
  return oauthError('invalid_client', 'Client authentication failed', 401, challenge)
}

/** At most one method may be used (RFC 6749 section 2.3). */
function presentedBy(
  { headers }: Call,
  form: URLSearchParams,
  isPushed: boolean,
  family: Family,
): Presented | 'several' | null {
  const found: Presented[] = []
  const basic = headers.authorization === undefined ? null : basicCredentials(headers.authorization, family)
  if (headers.authorization !== undefined && basic === null) return null
  if (basic !== null) found.push({ method: 'client_secret_basic', ...basic })
  // As OpenAM: `client_id` in the form besides the header counts as a second method.
  if (basic !== null && form.has('client_id') && !isPushed) return 'several'
  const id = form.get('client_id') ?? ''
  const secret = form.get('client_secret')
  if (secret !== null) found.push({ method: 'client_secret_post', id, secret })
  const assertion = form.get('client_assertion')
  const type = form.get('client_assertion_type')
  if (assertion !== null && type === 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer')
    found.push({ method: 'private_key_jwt', id, secret: assertion })
  if (found.length > 1) return 'several'
  return found[0] ?? null
}

/** Credentials of RFC 7617; form-encoded parts (RFC 6749 section 2.3.1) are decoded, except by OpenAM. */
function basicCredentials(header: string, family: Family): { id: string; secret: string } | null {
  const match = /^Basic +([\w+/=-]+)$/i.exec(header)
  if (match === null) return null
  const text = Buffer.from(match[1]!, 'base64').toString('utf8')
  const at = text.indexOf(':')
  if (at < 0) return null
  const [id, secret] = [text.slice(0, at), text.slice(at + 1)]
  return family === 'openam' ? { id, secret } : { id: formDecoded(id), secret: formDecoded(secret) }
}

function formDecoded(text: string): string {
  if (!/%[0-9a-f]{2}/i.test(text)) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
