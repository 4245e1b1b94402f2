import { Addresses } from './addresses.ts'
import { ControlServer } from './control/control-server.ts'
import { type Fault, Faults, type Hold } from './control/faults.ts'
import { type ReceivedRequest, ReceivedRequests } from './control/received-requests.ts'
import { endpointsOf, type State } from './endpoints.ts'
import { AccessManagerServer } from './http/access-manager-server.ts'
import { withParents } from './http/realm-path.ts'
import { announcePolicy, announceRevocation, announceSession } from './notifications/announcements.ts'
import { NotificationHub } from './notifications/hub.ts'
import { TokenIssuer } from './oauth2/token-issuer.ts'
import { checkPolicy, type Policy } from './policies/policy.ts'
import { setOf } from './policies/policy-store.ts'
import { RealmPolicies } from './policies/realm-policies.ts'
import { type AccessManagerSettings, completeSettings } from './settings.ts'
import { type Client, DEFAULT_ACCOUNTS, Directory } from './state/accounts.ts'
import { OffsetClock } from './state/offset-clock.ts'
import { Sessions, type Strength } from './state/sessions.ts'
import { SigningKeys } from './state/signing-keys.ts'
import { Tokens } from './state/tokens.ts'
import { Transactions } from './state/transactions.ts'

const SWEEP_INTERVAL = 1_000

/** Settings of a token issued without a request, for tests. */
export interface TestTokenSettings {
  readonly clientId?: string
  readonly realm?: string
  /** A user; by default the client itself. */
  readonly username?: string
  readonly scopes?: readonly string[]
  /** `cnf` of the token, such as `{"x5t#S256": ".."}` or `{"jkt": ".."}`. */
  readonly confirmation?: Readonly<Record<string, string>>
  /** Milliseconds. */
  readonly lifetime?: number
  /** Further claims. */
  readonly extra?: Readonly<Record<string, unknown>>
}

/** An access manager for development and tests: real HTTP and WebSocket, state in memory only. */
export class DevelopmentAccessManager implements AsyncDisposable {
  /** Base URL without a trailing slash, as `url` of an AmService. */
  readonly url: string
  readonly clock: OffsetClock
  readonly #state: State
  readonly #hub: NotificationHub
  readonly #faults: Faults
  readonly #requests: ReceivedRequests
  readonly #server: AccessManagerServer
  readonly #sweeping: NodeJS.Timeout
  #control: ControlServer | null = null

  /** Starts one; without settings with the accounts `demo`, `amadmin`, `ig_agent` and `client-application`. */
  static async start(given: AccessManagerSettings = {}): Promise<DevelopmentAccessManager> {
    const settings = completeSettings(given)
    const accounts = { ...DEFAULT_ACCOUNTS, ...accountsOf(given) }
    const everybody = [...accounts.users, ...accounts.agents, ...accounts.clients]
    const realms = withParents([...settings.realms, ...everybody.map(({ realm }) => realm ?? '/')])
    const clock = new OffsetClock(given.clock)
    const faults = new Faults()
    const requests = new ReceivedRequests(settings.limits.requests)
    const { family, cookieName, pingInterval, limits } = settings
    const sessions: Sessions = new Sessions({ ...settings, sessions: limits.sessions }, clock, (session, event) =>
      announceSession(hub, family, session, event),
    )
    const hub = new NotificationHub({ family, cookieName, pingInterval, sockets: limits.sockets }, sessions, clock)
    const server = new AccessManagerServer({
      settings,
      realms,
      faults,
      requests,
      now: () => clock.now(),
      upgrade: (request, socket, head) => hub.upgrade(request, socket, head),
    })
    const port = await server.listen()
    const { publicHost } = settings
    const host = publicHost.includes(':') ? `[${publicHost}]` : publicHost
    const addresses = new Addresses(`${settings.tls ? 'https' : 'http'}://${host}:${port}${settings.contextPath}`)
    const tokens = new Tokens(limits.tokens, clock, ({ grant, trackingId }) =>
      announceRevocation(hub, family, { realm: grant.realm, authGrantId: grant.id, auditTrackingId: trackingId }),
    )
    const keys = new SigningKeys()
    const issuer = new TokenIssuer(tokens, keys, clock, { family, issuerOf: addresses.issuerOf })
    const directory = new Directory(accounts)
    const policies = new RealmPolicies((realm, policy, event) => announcePolicy(hub, realm, policy, event))
    const state: State = {
      policies,
      settings,
      clock,
      directory,
      sessions,
      tokens,
      keys,
      issuer,
      transactions: new Transactions(clock),
    }
    server.serve(endpointsOf(state, addresses))
    const manager = new DevelopmentAccessManager(addresses.base, clock, { state, hub, faults, requests, server })
    try {
      if (given.controlPort !== undefined) manager.#control = await ControlServer.start(given.controlPort, manager)
      return manager
    } catch (error) {
      await manager.close()
      throw error
    }
  }

  private constructor(url: string, clock: OffsetClock, parts: Parts) {
    this.url = url
    this.clock = clock
    this.#state = parts.state
    this.#hub = parts.hub
    this.#faults = parts.faults
    this.#requests = parts.requests
    this.#server = parts.server
    this.#sweeping = setInterval(() => this.#state.sessions.sweep(), SWEEP_INTERVAL).unref()
  }

  /** URL and bearer token of the control API; null where it is disabled. */
  get control(): { readonly url: string; readonly token: string } | null {
    return this.#control
  }

  /** Base64 of the secret that signs HS256 tokens. */
  get hmacSecret(): string {
    return this.#state.keys.hmacSecret
  }

  /** Number of open notification sockets. */
  get sockets(): number {
    return this.#hub.size
  }

  /** Adds a client, or changes one. */
  registerClient(client: Client): void {
    this.#state.directory.register(client)
  }

  /** Issues an access token without a request. */
  async issueToken(wish: TestTokenSettings = {}): Promise<string> {
    const { directory, tokens, issuer } = this.#state
    const { realm = '/', clientId = 'client-application', username } = wish
    const client = directory.client(realm, clientId)
    if (client === undefined) throw new Error(`issueToken: no client ${clientId} in realm ${realm}`)
    const subject =
      username === undefined
        ? ({ kind: 'client', name: clientId } as const)
        : ({ kind: 'user', name: username } as const)
    const grantType = username === undefined ? 'client_credentials' : 'password'
    const grant = tokens.grant({ clientId, realm, subject, grantType })
    const { lifetime, extra, confirmation } = wish
    const token = await issuer.accessToken({
      client,
      grant,
      scopes: wish.scopes ?? client.scopes ?? [],
      ...(lifetime === undefined ? {} : { lifetime }),
      ...(extra === undefined ? {} : { extra }),
      ...(confirmation === undefined ? {} : { confirmation }),
    })
    return token.value
  }

  /** Revokes a token as its client would, with the notification; false for an unknown token. */
  revoke(value: string): boolean {
    const token = this.#state.tokens.find(value)
    if (token !== undefined) this.#state.tokens.revoke(token)
    return token !== undefined
  }

  /** Logs a user in without a request, at the given level; returns the session token. */
  login(username: string, realm = '/', strength: Partial<Strength> = {}): string {
    const user = this.#state.directory.user(realm, username)
    if (user === undefined) throw new Error(`login: no user ${username} in realm ${realm}`)
    const owner = { kind: 'user', name: username, realm, admin: user.admin ?? false } as const
    return this.#state.sessions.start(owner, { level: 0, services: [], schemes: [], ...strength }).tokenId
  }

  /** Sets a property of a session, as a plugin of the login does. */
  setSessionProperty(tokenId: string, name: string, value: string): void {
    const session = this.#state.sessions.find(tokenId)
    if (session === undefined) throw new Error('setSessionProperty: no session has this token')
    this.#state.sessions.setProperty(session, name, value)
  }

  /** Ends a session by its token, with the notification; false for an unknown session. */
  endSession(tokenId: string): boolean {
    const session = this.#state.sessions.find(tokenId)
    if (session !== undefined) this.#state.sessions.end(session, 'DESTROY')
    return session !== undefined
  }

  /** Ends every session of agents, as a restart of a server does; returns their number. */
  expireAgentSessions(): number {
    const agents = this.#state.sessions.select(({ owner }) => owner.kind === 'agent')
    for (const session of agents) this.#state.sessions.end(session, 'MAX_TIMEOUT')
    return agents.length
  }

  /** Advances the clock; expired sessions end. */
  advance(milliseconds: number): void {
    this.clock.advance(milliseconds)
    this.#state.sessions.sweep()
  }

  /** Creates or changes a policy, with the notification; creates its policy set if missing. */
  putPolicy(policy: Policy, realm = '/'): void {
    checkPolicy(policy)
    const store = this.#state.policies.of(realm)
    store.addSet(setOf(policy))
    store.put(policy)
  }

  /** Deletes a policy and sends its notification; false if it does not exist. */
  removePolicy(name: string, realm = '/'): boolean {
    return this.#state.policies.of(realm).remove(name)
  }

  /** Replaces all signing keys. */
  rotateKeys(): void {
    this.#state.keys.rotate()
  }

  /** Sends a notification to all subscribers of its topic. */
  publish(topic: string, body: object): void {
    this.#hub.publish(topic, body)
  }

  /** Resolves when this many sockets are subscribed to the topic. */
  subscribed(topic: string, sockets = 1): Promise<void> {
    return this.#hub.subscribed(topic, sockets)
  }

  /** Resolves when at most this many notification sockets are open. */
  socketsDwindled(sockets = 0): Promise<void> {
    return this.#hub.dwindled(sockets)
  }

  /** Destroys all notification sockets; with a code they are closed by a close frame. */
  dropSockets(code?: number): void {
    this.#hub.dropSockets(code)
  }

  /** Drops notifications on open sockets until disabled, as OpenAM does while it sends others. */
  loseNotifications(isLosing = true): void {
    this.#hub.loseNotifications(isLosing)
  }

  /** Rejects upgrades of the notification socket with this status; null accepts them again. */
  refuseUpgrades(status: number | null): void {
    this.#hub.refuseUpgrades(status)
  }

  /** Sets a fault of an endpoint: `serverinfo`, `version`, `authenticate`, `sessions`, `access_token`, `introspect`, `revoke`,
   * `tokeninfo`, `jwk_uri`, `well-known`, `notifications`, or `*` for all. */
  fail(endpoint: string, fault: Fault): void {
    this.#faults.set(endpoint, fault)
  }

  /** Holds requests to an endpoint until they are released. */
  hold(endpoint: string): Hold {
    return this.#faults.hold(endpoint)
  }

  /** Removes faults and holds of one endpoint, or of all. */
  heal(endpoint?: string): void {
    this.#faults.clear(endpoint)
  }

  /** The last requests, of one endpoint or of all, the oldest first. */
  requests(endpoint?: string): readonly ReceivedRequest[] {
    return this.#requests.list(endpoint)
  }

  /** Resolves when an endpoint has received this many requests. */
  received(endpoint: string, count = 1): Promise<void> {
    return this.#requests.count(endpoint, count)
  }

  forgetRequests(): void {
    this.#requests.clear()
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeping)
    this.#faults.clear()
    this.#hub.close()
    await Promise.all([this.#server.close(), this.#control?.close()])
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

interface Parts {
  readonly state: State
  readonly hub: NotificationHub
  readonly faults: Faults
  readonly requests: ReceivedRequests
  readonly server: AccessManagerServer
}

/** The given accounts, without undefined members. */
function accountsOf({ users, agents, clients }: AccessManagerSettings): Partial<typeof DEFAULT_ACCOUNTS> {
  return {
    ...(users === undefined ? {} : { users }),
    ...(agents === undefined ? {} : { agents }),
    ...(clients === undefined ? {} : { clients }),
  }
}
