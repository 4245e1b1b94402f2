import { type EndpointResponse, oauthError } from '../http/endpoint-response.ts'
import type { Client } from '../state/accounts.ts'

/** The granted scopes; null where the client requests more than it may have. */
export function grantedScopes(asked: string | null, client: Client, among = client.scopes ?? []): string[] | null {
  const wanted = asked === null ? (client.defaultScopes ?? []) : asked.split(' ').filter((scope) => scope !== '')
  const unique = [...new Set(wanted)]
  return unique.every((scope) => among.includes(scope)) ? unique : null
}

/** The response to a client that requests more than it may have. */
export function invalidScope(): EndpointResponse {
  return oauthError('invalid_scope', 'Unknown/invalid scope(s)')
}
