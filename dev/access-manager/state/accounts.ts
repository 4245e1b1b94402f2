import { equalsConstantTime } from '#http'

/** An account with a name and a password. */
export interface User {
  readonly name: string
  readonly password: string
  /** `/` where it is left out. */
  readonly realm?: string
  /** May look at and end the sessions of others. */
  readonly admin?: boolean
  /** What policies and the user's information can tell. */
  readonly attributes?: Readonly<Record<string, readonly string[]>>
}

/** A gateway or another agent. */
export interface Agent {
  readonly name: string
  readonly password: string
  readonly realm?: string
  /** Which tokens it may ask about; those of its realm where it is left out. */
  readonly introspection?: 'none' | 'realm' | 'realm-and-subrealms'
  /** Where browsers may be sent with its tokens (cross-domain single sign-on). */
  readonly redirectUris?: readonly string[]
}

/** How a client shows who it is. */
export type ClientAuthenticationMethod = 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt'

/** An application that gets tokens. */
export interface Client {
  readonly id: string
  readonly secret?: string
  /** Public keys, for `private_key_jwt`. */
  readonly jwks?: { readonly keys: readonly Readonly<Record<string, unknown>>[] }
  /** The only way it may authenticate; any of which it has the means where it is left out. */
  readonly authenticationMethod?: ClientAuthenticationMethod
  readonly realm?: string
  readonly scopes?: readonly string[]
  /** What it gets when it asks for no scope in particular; nothing where it is left out. */
  readonly defaultScopes?: readonly string[]
  /** Opaque tokens, or JWTs that carry everything. */
  readonly tokenFormat?: 'opaque' | 'jwt'
  readonly signingAlgorithm?: 'RS256' | 'ES256' | 'HS256' | 'EdDSA'
  /** Milliseconds. */
  readonly accessTokenLifetime?: number
  /** Milliseconds; 0 gives no refresh tokens. */
  readonly refreshTokenLifetime?: number
  /** Where browsers may be sent with codes and tokens; compared letter by letter. */
  readonly redirectUris?: readonly string[]
  readonly postLogoutRedirectUris?: readonly string[]
  /** Confirmation that every token of the client carries (RFC 7800), such as `{"x5t#S256": ".."}`. */
  readonly confirmation?: Readonly<Record<string, string>>
  /** May ask about tokens of other clients of its realm; in PingAM the scope `am-introspect-all-tokens` does this. */
  readonly introspectsAll?: boolean
}

/** Everybody the server knows. */
export interface Accounts {
  readonly users: readonly User[]
  readonly agents: readonly Agent[]
  readonly clients: readonly Client[]
}

/** Whom tests and the demo find without saying anything. */
export const DEFAULT_ACCOUNTS: Accounts = {
  users: [
    { name: 'demo', password: 'changeit' },
    { name: 'amadmin', password: 'changeit', admin: true },
  ],
  agents: [{ name: 'ig_agent', password: 'password' }],
  clients: [{ id: 'client-application', secret: 'password', scopes: ['mail', 'employeenumber', 'profile'] }],
}

/** Looks accounts up by realm and name, and checks what they present. */
export class Directory {
  readonly #users: ReadonlyMap<string, User>
  readonly #agents: ReadonlyMap<string, Agent>
  readonly #clients: Map<string, Client>

  constructor({ users, agents, clients }: Accounts) {
    this.#users = new Map(users.map((user) => [key(user.realm, user.name), user]))
    this.#agents = new Map(agents.map((agent) => [key(agent.realm, agent.name), agent]))
    this.#clients = new Map(clients.map((client) => [key(client.realm, client.id), client]))
  }

  /** Adds a client, or puts another in its place. */
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

  /** The client, if the secret is right; a client without a secret is never let in by one. */
  authenticateClient(realm: string, id: string, secret: string): Client | undefined {
    return withSecret(this.client(realm, id), (client) => client.secret, secret)
  }
}

/** Compares also where there is no such account, so that time does not tell which names exist. */
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
