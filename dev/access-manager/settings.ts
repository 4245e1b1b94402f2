import type { Clock } from '#schema'
import type { Accounts } from './state/accounts.ts'

/** The two families of access managers, which differ on the wire. */
export type Family = 'pingam' | 'openam'

/** The two kinds of login pages of OpenAM: those of a browser application, and older ones that read other parameters. */
export type LoginPages = 'xui' | 'classic'

/** The response for an unknown session, which depends on family and version. */
type UnknownSessionAnswer = 'invalid' | 'unauthorized' | 'not-found'

/** Settings of a development access manager; all have defaults. */
export interface AccessManagerSettings extends Partial<Accounts> {
  /** 0, the default, selects a free port. */
  readonly port?: number
  /** A local address. Addresses other than loopback are rejected unless `allowRemote` is true. */
  readonly host?: string
  /** Host name for browsers and gateways, such as am.example.test; `host` by default. */
  readonly publicHost?: string
  /** Allows access from other hosts. Its passwords are public: use it only in an isolated network. */
  readonly allowRemote?: boolean
  /** Certificate and key in PEM, for HTTPS. */
  readonly tls?: { readonly cert: string; readonly key: string }
  /** Prefix of every path. */
  readonly contextPath?: string
  readonly family?: Family
  /** Version of `serverinfo/version`. */
  readonly version?: string
  readonly cookieName?: string
  readonly secureCookie?: boolean
  /** Domains of the session cookie, such as example.test; by default its own host alone. */
  readonly domains?: readonly string[]
  /** Whether a login returns the token in the body too; false for some versions of OpenAM with HttpOnly cookies. */
  readonly tokenInBody?: boolean
  /** Further realms besides `/` and those of the accounts. */
  readonly realms?: readonly string[]
  /** Name of the login tree of agents; null without one. */
  readonly agentJourney?: string | null
  /** Login trees of users with their level; all of them need name and password. */
  readonly trees?: Readonly<Record<string, number>>
  /** Idle timeout of a session in milliseconds. */
  readonly maxIdle?: number
  /** Maximum lifetime of a session in milliseconds. */
  readonly maxSession?: number
  /** Session properties that are returned; `AMCtxId` is the join key of session caches. */
  readonly sessionProperties?: readonly string[]
  readonly unknownSession?: UnknownSessionAnswer
  /** The kind of login pages; OpenAM has classic ones where cookies are HttpOnly or XUI is disabled. */
  readonly loginPages?: LoginPages
  /** Hosts to which the login page redirects, besides those of the loopback interface. */
  readonly gotoHosts?: readonly string[]
  /**
   * Patterns of URLs to which the login page of OpenAM redirects, instead of `gotoHosts`. `*` matches no `?`, so that URLs with a query
   * need a pattern with `?`; for other URLs it redirects to the page of the server.
   */
  readonly gotoPatterns?: readonly string[] | null
  /** Client-based sessions: a token is valid until it expires, also after a logout. */
  readonly clientBasedSessions?: boolean
  /** Milliseconds between pings of the notification socket. */
  readonly pingInterval?: number
  readonly clock?: Clock
  /** Port of the control API on the loopback interface; 0 selects a free one. */
  readonly controlPort?: number
  readonly limits?: Partial<Limits>
}

/** Maximum numbers of stored entries; the oldest are evicted. */
export interface Limits {
  readonly sessions: number
  readonly tokens: number
  readonly sockets: number
  readonly connections: number
  readonly requests: number
  readonly bodyBytes: number
}

/** The settings with all defaults, without the accounts, which are in the state. */
export type CompleteSettings = Readonly<
  Required<Omit<AccessManagerSettings, keyof Accounts | 'clock' | 'controlPort' | 'limits' | 'tls'>>
> & {
  readonly limits: Limits
  readonly tls: AccessManagerSettings['tls'] | null
}

const MINUTE = 60_000
const LIMITS: Limits = {
  sessions: 10_000,
  tokens: 20_000,
  sockets: 1_000,
  connections: 4_096,
  requests: 10_000,
  bodyBytes: 256 * 1024,
}

/** Adds the defaults, some of which depend on the family. */
export function completeSettings(given: AccessManagerSettings): CompleteSettings {
  const family = given.family ?? 'pingam'
  const ping = family === 'pingam'
  const settings: CompleteSettings = {
    port: given.port ?? 0,
    host: given.host ?? '127.0.0.1',
    publicHost: given.publicHost ?? given.host ?? '127.0.0.1',
    allowRemote: given.allowRemote ?? false,
    contextPath: given.contextPath ?? (ping ? '/am' : '/openam'),
    family,
    version: given.version ?? (ping ? '7.5.0' : '16.0.5'),
    cookieName: given.cookieName ?? 'iPlanetDirectoryPro',
    tls: given.tls ?? null,
    secureCookie: given.secureCookie ?? given.tls !== undefined,
    domains: given.domains ?? [],
    tokenInBody: given.tokenInBody ?? true,
    realms: given.realms ?? [],
    agentJourney: given.agentJourney === undefined ? (ping ? 'Agent' : null) : given.agentJourney,
    trees: given.trees ?? { ldapService: 0, Login: 0, StepUp: 5 },
    maxIdle: given.maxIdle ?? 30 * MINUTE,
    maxSession: given.maxSession ?? 120 * MINUTE,
    sessionProperties: given.sessionProperties ?? ['AMCtxId'],
    unknownSession: given.unknownSession ?? 'invalid',
    loginPages: given.loginPages ?? 'xui',
    gotoHosts: given.gotoHosts ?? [],
    gotoPatterns: given.gotoPatterns ?? null,
    clientBasedSessions: given.clientBasedSessions ?? false,
    pingInterval: given.pingInterval ?? 30_000,
    limits: { ...LIMITS, ...given.limits },
  }
  if (!/^(?:\/[\w.-]+)*$/.test(settings.contextPath))
    throw new Error(`contextPath: expected a path such as /am, got ${JSON.stringify(settings.contextPath)}`)
  if (!settings.allowRemote && !isLoopback(settings.host))
    throw new Error(
      `host: expected a loopback address, got ${JSON.stringify(settings.host)}; set allowRemote where others may reach it`,
    )
  return settings
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host)
}
