// Tokens requested directly by a client of the realm.
import { passwordOf, secretOf } from './realm.ts'
import { type Peers, REALM } from './suite.ts'

export interface Tokens {
  readonly access_token: string
  readonly refresh_token?: string
  readonly id_token?: string
  readonly token_type: string
}

/** Tokens of a user for a client (resource owner password). */
export function tokensOf(
  peers: Peers,
  clientId: string,
  username = 'alice',
  secret = secretOf(clientId),
): Promise<Tokens> {
  return tokenRequest(peers, clientId, {
    client_secret: secret,
    grant_type: 'password',
    username,
    password: passwordOf(username),
    scope: 'openid',
  })
}

export async function tokenRequest(
  { keycloak }: Pick<Peers, 'keycloak'>,
  clientId: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Tokens> {
  const answer = await fetch(`${keycloak.url}/realms/${REALM}/protocol/openid-connect/token`, {
    method: 'POST',
    headers,
    body: new URLSearchParams({ client_id: clientId, client_secret: secretOf(clientId), ...fields }),
  })
  if (!answer.ok) throw new Error(`no tokens of ${clientId}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as Tokens
}

export const bearer = (token: string): { headers: { authorization: string } } => ({
  headers: { authorization: `Bearer ${token}` },
})
