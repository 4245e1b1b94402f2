import { CachedValue } from '#cache'
import { AccessManagerError, type AmDialect } from '#contracts'
import { type Handler, isToken } from '#http'
import type { Logger } from '#logging'
import type { Clock } from '#schema'
import { dialectOf } from './dialect.ts'
import { EVENTS } from './log-events.ts'
import type { RealmUris } from './realm-uri.ts'
import { callRest } from './rest-call.ts'

/** Null fields are read from the server. */
interface DiscoverySettings {
  readonly uris: RealmUris
  /** Sends without the agent's session. */
  readonly handler: Handler
  /** Sends with the agent's session. */
  readonly agentHandler: Handler
  readonly ssoTokenHeader: string | null
  readonly version: string | null
  /** Milliseconds that one call may take. */
  readonly callTimeout: number
  readonly clock: Clock
  readonly logger: Logger
}

/** The session cookie. */
interface SessionCookie {
  readonly name: string
  readonly domains: readonly string[]
}

const DOMAIN = /^\.?(?!.*\.\.)[a-z0-9][a-z0-9.-]{0,252}$/i
const MAX_COOKIE_NAME = 128
const VERSION = /^\d{1,4}(?:\.[\w.-]{1,64})?/
const FAILURE_PAUSE = 1_000

/** Whether a text can be the name of a header field and of a cookie. */
function isHeaderName(text: string): boolean {
  return isToken(text, MAX_COOKIE_NAME)
}

/** Whether a version equals or refines another one, as 7.5.1 refines 7.5. */
function refines(version: string, expected: string): boolean {
  return version === expected || version.startsWith(`${expected}.`)
}

/** Name and domains of the session cookie, and version of the server, where the configuration has none. */
export class Discovery {
  readonly #settings: DiscoverySettings
  readonly #cookie: CachedValue<SessionCookie>
  readonly #dialect: CachedValue<AmDialect>

  constructor(settings: DiscoverySettings) {
    this.#settings = settings
    const { clock } = settings
    this.#cookie = new CachedValue({ clock, failurePause: FAILURE_PAUSE, load: () => this.#askForCookie() })
    this.#dialect = new CachedValue({ clock, failurePause: FAILURE_PAUSE, load: () => this.#askForVersion() })
  }

  async cookieName(): Promise<string> {
    return this.#settings.ssoTokenHeader ?? (await this.#cookie.get()).name
  }

  /** Domains of the session cookie; empty while the server is unavailable. */
  async cookieDomains(): Promise<readonly string[]> {
    try {
      return (await this.#cookie.get()).domains
    } catch {
      return []
    }
  }

  /** By the version that the server reports; while it is unavailable, by that of the configuration. */
  async dialect(): Promise<AmDialect> {
    try {
      return await this.#dialect.get()
    } catch {
      return this.assumed
    }
  }

  /** Dialect without a call: of the cached version of the server, else of the configuration. */
  get assumed(): AmDialect {
    return this.#dialect.fresh ?? dialectOf(this.#settings.version)
  }

  /** Null until the server or the configuration has named a version. */
  get known(): AmDialect | null {
    return this.#dialect.fresh ?? (this.#settings.version === null ? null : dialectOf(this.#settings.version))
  }

  /** Whether the REST API responds now; not cached. */
  async isServing(): Promise<boolean> {
    try {
      await this.#askForCookie()
      return true
    } catch {
      return false
    }
  }

  async #askForCookie(): Promise<SessionCookie> {
    const { handler, uris, callTimeout } = this.#settings
    const call = { method: 'GET', uri: uris.server('serverinfo/*'), resource: '1.1' } as const
    const { status, json } = await callRest(handler, call, callTimeout)
    const name = json?.['cookieName']
    if (status === 200 && typeof name === 'string' && isHeaderName(name))
      return { name, domains: domainsIn(json?.['domains']) }
    const got = status === 200 ? 'a response without a cookieName' : `the status ${status}`
    throw new AccessManagerError(
      'unavailable',
      `serverinfo: expected the name of the session cookie, got ${got}; check url, or set ssoTokenHeader`,
    )
  }

  async #askForVersion(): Promise<AmDialect> {
    const { agentHandler, uris, version: configured, callTimeout, logger } = this.#settings
    const call = { method: 'GET', uri: uris.server('serverinfo/version'), resource: '1.0' } as const
    const { status, json } = await callRest(agentHandler, call, callTimeout)
    if (status === 503) throw new AccessManagerError('unavailable', 'serverinfo: the version is unavailable')
    const found = json?.['version']
    if (status === 200 && typeof found === 'string' && VERSION.test(found)) {
      const version = VERSION.exec(found)![0]
      if (configured !== null && !refines(version, configured)) {
        logger.warn({ configured, version }, EVENTS.VERSION_DIFFERS)
      }
      return dialectOf(version)
    }
    const assumed = dialectOf(configured)
    logger.warn({ status, version: assumed.version }, EVENTS.VERSION_UNKNOWN)
    return assumed
  }
}

function domainsIn(given: unknown): string[] {
  const domains = Array.isArray(given) ? (given as unknown[]) : []
  return domains.filter((domain) => typeof domain === 'string' && DOMAIN.test(domain)) as string[]
}
