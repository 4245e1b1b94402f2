// The realm: its users, roles, and the clients of all flows.
import { createHash } from 'node:crypto'
import { type Addresses, type Client, REALM } from './suite.ts'

export const secretOf = (clientId: string): string => `secret of ${clientId}, long enough`

/** A confidential client whose redirect URI is that of the login route of its name. */
export function client(at: Addresses, clientId: string, fields: Readonly<Record<string, unknown>> = {}): Client {
  return {
    clientId,
    secret: secretOf(clientId),
    redirectUris: [at.app, at.secureApp].map((app) => `${app}/${clientId}/oidc/callback`),
    directAccessGrantsEnabled: true,
    serviceAccountsEnabled: true,
    ...fields,
  }
}

/** Puts a name into `aud` of the access tokens of a client. */
export function audienceMapper(audience: string): object {
  return {
    name: `audience ${audience}`,
    protocol: 'openid-connect',
    protocolMapper: 'oidc-audience-mapper',
    config: {
      'included.custom.audience': audience,
      'access.token.claim': 'true',
      'introspection.token.claim': 'true',
    },
  }
}

const user = (username: string, roles: readonly string[]): object => ({
  username,
  enabled: true,
  email: `${username}@example.test`,
  emailVerified: true,
  firstName: username,
  lastName: 'of the shop',
  credentials: [{ type: 'password', value: passwordOf(username), temporary: false }],
  realmRoles: roles,
})

/** Roles whose names alone do not fit into cookies, also when they are compressed. */
const MANY = Array.from({ length: 400 }, (_, at) => ({
  name: createHash('sha256').update(`${at}`).digest('base64url'),
}))

export const passwordOf = (username: string): string => `password of ${username}`

export function realm(clients: readonly Client[]): object {
  return {
    realm: REALM,
    enabled: true,
    sslRequired: 'none',
    loginTheme: 'keycloak.v2',
    // A refresh token serves once: a second refresh with it would end the session.
    revokeRefreshToken: true,
    refreshTokenMaxReuse: 0,
    roles: { realm: [{ name: 'buyer' }, { name: 'clerk' }, ...MANY] },
    users: [
      user('alice', ['buyer']),
      user('bob', ['clerk']),
      user(
        'carol',
        MANY.map(({ name }) => name),
      ),
    ],
    clients,
  }
}
