import type { Family } from '../../settings.ts'
import type { Client, Directory } from '../../state/accounts.ts'
import { grantedScopes } from '../scopes.ts'

type ResponseMode = 'query' | 'fragment' | 'form_post'

/** A valid authorization request. */
export interface AuthorizationRequest {
  readonly clientId: string
  /** Null for an agent (cross-domain single sign-on). */
  readonly client: Client | null
  readonly redirectUri: string
  readonly responseType: 'code' | 'id_token'
  readonly responseMode: ResponseMode
  readonly scopes: readonly string[]
  readonly state: string | null
  readonly nonce: string | null
  /** `code_challenge` of PKCE; only S256. */
  readonly challenge: string | null
  readonly prompt: string | null
  readonly agentRealm: string | null
}

/** The parsed request: without a known client there is no redirect. */
type ReadRequest =
  | { readonly request: AuthorizationRequest }
  | { readonly refused: string }
  | { readonly error: string; readonly description: string; readonly to: Destination }

export type Destination = Pick<AuthorizationRequest, 'redirectUri' | 'responseMode' | 'state'>

/** Parses and validates an authorization request. */
export function readAuthorizationRequest(
  query: URLSearchParams,
  realm: string,
  directory: Directory,
  family: Family,
): ReadRequest {
  const names = [...query.keys()]
  if (new Set(names).size !== names.length) return { refused: 'a parameter came twice' }
  const clientId = query.get('client_id') ?? ''
  // OpenAM has no agent_provider: the name of an agent as client_id is enough.
  const asAgent =
    family === 'pingam' ? query.get('agent_provider') === 'true' : directory.agent(realm, clientId) !== undefined
  const client = asAgent ? null : (directory.client(realm, clientId) ?? null)
  const registered = asAgent ? directory.agent(realm, clientId) : client
  if (registered === undefined || registered === null) return { refused: 'the client is not known' }
  const redirectUri = query.get('redirect_uri') ?? ''
  if (!registered.redirectUris?.includes(redirectUri)) return { refused: 'the redirect_uri is not one of the client' }
  const responseType = query.get('response_type')
  const state = query.get('state')
  const responseMode = modeOf(query.get('response_mode'), responseType)
  const to: Destination = { redirectUri, responseMode: responseMode ?? 'query', state }
  const wrong = (error: string, description: string): ReadRequest => ({ error, description, to })
  if (responseType !== 'id_token' && (responseType !== 'code' || asAgent))
    return wrong('unsupported_response_type', 'response_type is not supported')
  if (responseMode === null) return wrong('invalid_request', 'response_mode is not supported')
  const nonce = query.get('nonce')
  if (responseType === 'id_token' && nonce === null) return wrong('invalid_request', 'nonce is required')
  const challenge = query.get('code_challenge')
  if (challenge !== null && query.get('code_challenge_method') !== 'S256')
    return wrong('invalid_request', 'code_challenge_method must be S256')
  const scopes = client === null ? ['openid'] : grantedScopes(query.get('scope'), client)
  if (scopes === null) return wrong('invalid_scope', 'Unknown/invalid scope(s)')
  const prompt = query.get('prompt')
  const agentRealm = asAgent ? (query.get('agent_realm') ?? realm) : null
  return {
    request: {
      clientId,
      client,
      redirectUri,
      responseType,
      responseMode,
      scopes,
      state,
      nonce,
      challenge,
      prompt,
      agentRealm,
    },
  }
}

function modeOf(text: string | null, responseType: string | null): ResponseMode | null {
  if (text === null) return responseType === 'id_token' ? 'fragment' : 'query'
  // A token in a query would be logged: it is rejected.
  if (text === 'query') return responseType === 'id_token' ? null : 'query'
  return text === 'fragment' || text === 'form_post' ? text : null
}
