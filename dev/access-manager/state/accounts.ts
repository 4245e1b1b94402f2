import { equalsConstantTime } from '#http'

/** A user with name and password. */
export interface User {
  readonly name: string
  readonly password: string
  /** `/` where it is left out. */
  readonly realm?: string
  /** Whether the user may read and end sessions of others. */
  readonly admin?: boolean
  /** Attributes for policies and user info. */
  readonly attributes?: Readonly<Record<string, readonly string[]>>
}

/** A gateway or another agent. */
export interface Agent {
  readonly name: string
  readonly password: string
  readonly realm?: string
  /** Tokens that it may introspect; by default those of its realm. */
  readonly introspection?: 'none' | 'realm' | 'realm-and-subrealms'
  /** Redirect URIs for its tokens (cross-domain single sign-on). */
  readonly redirectUris?: readonly string[]
}

export type ClientAuthenticationMethod = 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt'

/** An OAuth 2.0 client. */
export interface Client {
  readonly id: string
  readonly secret?: string
  /** Public keys, for `private_key_jwt`. */
  readonly jwks?: { readonly keys: readonly Readonly<Record<string, unknown>>[] }
  /** Its authentication method; by default any for which it has a secret or keys. */
  readonly authenticationMethod?: ClientAuthenticationMethod
  readonly realm?: string
  readonly scopes?: readonly string[]
  /** Scopes of requests without `scope`; by default none. */
  readonly defaultScopes?: readonly string[]
  /** Opaque tokens, or JWTs. */
  readonly tokenFormat?: 'opaque' | 'jwt'
  readonly signingAlgorithm?: 'RS256' | 'ES256' | 'HS256' | 'EdDSA'
  /** Milliseconds. */
  readonly accessTokenLifetime?: number
  /** Milliseconds; 0 for no refresh tokens. */
  readonly refreshTokenLifetime?: number
  /** Redirect URIs, compared exactly. */
  readonly redirectUris?: readonly string[]
  readonly postLogoutRedirectUris?: readonly string[]
  /** Confirmation of every token of the client (RFC 7800), such as `{"x5t#S256": ".."}`. */
  readonly confirmation?: Readonly<Record<string, string>>
  /** Whether it may introspect tokens of other clients of its realm, as the scope `am-introspect-all-tokens` of PingAM. */
  readonly introspectsAll?: boolean
}

/** All accounts of the server. */
export interface Accounts {
  readonly users: readonly User[]
  readonly agents: readonly Agent[]
  readonly clients: readonly Client[]
}

/** Default accounts of tests and the demo. */
export const DEFAULT_ACCOUNTS: Accounts = {
  users: [
    { name: 'demo', password: 'changeit' },
    { name: 'amadmin', password: 'changeit', admin: true },
  ],
  agents: [{ name: 'ig_agent', password: 'password' }],
  clients: [{ id: 'client-application', secret: 'password', scopes: ['mail', 'employeenumber', 'profile'] }],
}

/** Looks up accounts by realm and name, and verifies their credentials. */
export class Directory {
  readonly #users: ReadonlyMap<string, User>
  readonly #agents: ReadonlyMap<string, Agent>
  readonly #clients: Map<string, Client>

  constructor({ users, agents, clients }: Accounts) {
    this.#users = new Map(users.map((user) => [key(user.realm, user.name), user]))
    this.#agents = new Map(agents.map((agent) => [key(agent.realm, agent.name), agent]))
    this.#clients = new Map(clients.map((client) => [key(client.realm, client.id), client]))
  }

  /** Adds or replaces a client. */
  register(client: Client): void {
    this.#clients.set(key(client.realm, client.id), client)
  }

  user(realm: string, name: string): User | undefined {
    return this.#users.get(key(realm, name))
  }

  agent(realm: string, name: string): Agent | undefined {
    return this.#agents.get(key(realm, name))
  }

  client(realm: string, id: string): Client | undefined {
    return this.#clients.get(key(realm, id))
  }

  /** The user, if the password is right. */
  authenticateUser(realm: string, name: string, password: string): User | undefined {
    return withSecret(this.user(realm, name), (user) => user.password, password)
  }

  /** The agent, if the password is right. */
  authenticateAgent(realm: string, name: string, password: string): Agent | undefined {
    return withSecret(this.#agents.get(key(realm, name)), (agent) => agent.password, password)
  }

  /** The client, if the secret is right; never a client without a secret. */
  authenticateClient(realm: string, id: string, secret: string): Client | undefined {
    return withSecret(this.client(realm, id), (client) => client.secret, secret)
  }
}

/** Compares also for an unknown account, so that the time does not disclose which names exist. */
function withSecret<A>(
  account: A | undefined,
  secretOf: (account: A) => string | undefined,
  presented: string,
): A | undefined {
  const expected = account === undefined ? undefined : secretOf(account)
  const same = equalsConstantTime(expected ?? '', presented)
  return same && expected !== undefined && expected !== '' ? account : undefined
}

function key(realm: string | undefined, name: string): string {
  return `${realm ?? '/'} ${name}`
}
