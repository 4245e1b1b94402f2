import { type Answer, oauthError } from '../http/answer.ts'
import type { Client } from '../state/accounts.ts'

/** The scopes a client gets for what it asks; null where it asks for more than it may have. */
export function grantedScopes(asked: string | null, client: Client, among = client.scopes ?? []): string[] | null {
  const wanted = asked === null ? (client.defaultScopes ?? []) : asked.split(' ').filter((scope) => scope !== '')
  const unique = [...new Set(wanted)]
  return unique.every((scope) => among.includes(scope)) ? unique : null
}

/** The answer to a client that asks for more than it may have. */
export function invalidScope(): Answer {
  return oauthError('invalid_scope', 'Unknown/invalid scope(s)')
}
