import type { Clock } from '#schema'
import type { Accounts } from './state/accounts.ts'

/** The two families of servers that gateways meet, with their differences on the wire. */
export type Family = 'pingam' | 'openam'

/** The two kinds of login pages of OpenAM: those of a browser application, and older ones that read other parameters. */
export type LoginPages = 'xui' | 'classic'

/** The answer for an unknown session: both families and their versions differ. */
type UnknownSessionAnswer = 'invalid' | 'unauthorized' | 'not-found'

/** What a development access manager starts with; everything has a default. */
export interface AccessManagerSettings extends Partial<Accounts> {
  /** 0, the default, takes a free port. */
  readonly port?: number
  /** An address of this machine. Others than loopback are refused unless `allowRemote` is true. */
  readonly host?: string
  /** Name by which browsers and gateways know it, such as am.example.test; `host` where it is left out. */
  readonly publicHost?: string
  /** Lets others reach it. Its passwords are known to everybody who reads this repository: never outside a sealed network. */
  readonly allowRemote?: boolean
  /** Certificate and key, both PEM: with them it speaks HTTPS. */
  readonly tls?: { readonly cert: string; readonly key: string }
  /** First part of every path. */
  readonly contextPath?: string
  readonly family?: Family
  /** What `serverinfo/version` says. */
  readonly version?: string
  readonly cookieName?: string
  readonly secureCookie?: boolean
  /** Domains that the session cookie is set for, such as example.test; its own host alone where there are none. */
  readonly domains?: readonly string[]
  /** Whether a login gives the token in the body too; false is what some versions of OpenAM do with HttpOnly cookies. */
  readonly tokenInBody?: boolean
  /** Realm paths that exist besides `/` and those of the accounts. */
  readonly realms?: readonly string[]
  /** Name of the tree by which agents log in; null without one. */
  readonly agentJourney?: string | null
  /** Trees by which users log in, with the level each gives; all of them ask for name and password. */
  readonly trees?: Readonly<Record<string, number>>
  /** Milliseconds without use after which a session ends. */
  readonly maxIdle?: number
  /** Milliseconds after which a session ends whatever happens. */
  readonly maxSession?: number
  /** Session properties that are returned; `AMCtxId` is the join key of session caches. */
  readonly sessionProperties?: readonly string[]
  readonly unknownSession?: UnknownSessionAnswer
  /** Which login pages are shown; OpenAM shows classic ones where cookies are HttpOnly or XUI is off. */
  readonly loginPages?: LoginPages
  /** Hosts to which the login page sends browsers back, besides those of the loopback interface. */
  readonly gotoHosts?: readonly string[]
  /**
   * Patterns of URLs to which the login page of OpenAM sends browsers back, in place of `gotoHosts`. `*` matches no `?`, so that
   * URLs with a query need a pattern with `?`; a browser with another URL ends at the server's own page.
   */
  readonly gotoPatterns?: readonly string[] | null
  /** Sessions that the server does not keep: a token is good until it ends by itself, also after a log-out. */
  readonly clientBasedSessions?: boolean
  /** Milliseconds between pings of the notification socket. */
  readonly pingInterval?: number
  readonly clock?: Clock
  /** Opens the control API on a port of the loopback interface; 0 takes a free one. */
  readonly controlPort?: number
  readonly limits?: Partial<Limits>
}

/** How much is kept at most; the oldest goes first. */
export interface Limits {
  readonly sessions: number
  readonly tokens: number
  readonly sockets: number
  readonly connections: number
  readonly requests: number
  readonly bodyBytes: number
}

/** The settings with every default filled in, without the accounts, which the state takes over. */
export type WholeSettings = Readonly<
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

/** Fills in what was left out. What differs between the families follows the family. */
export function wholeSettings(given: AccessManagerSettings): WholeSettings {
  const family = given.family ?? 'pingam'
  const ping = family === 'pingam'
  const settings: WholeSettings = {
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
