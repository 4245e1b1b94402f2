import { CachedValue } from '#cache'
import { AccessManagerError, type AmDialect } from '#contracts'
import { type Handler, isToken } from '#http'
import type { Logger } from '#logging'
import type { Clock } from '#schema'
import { dialectOf } from './dialect.ts'
import { EVENTS } from './log-events.ts'
import type { RealmUris } from './realm-uri.ts'
import { callRest } from './rest-call.ts'

/** What is known of a server beforehand, and how it is asked for the rest. */
interface DiscoverySettings {
  readonly uris: RealmUris
  /** Sends as it is. */
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

/** The cookie that holds sessions. */
interface SessionCookie {
  readonly name: string
  readonly domains: readonly string[]
}

const DOMAIN = /^\.?(?!.*\.\.)[a-z0-9][a-z0-9.-]{0,252}$/i
const MAX_COOKIE_NAME = 128
const VERSION = /^\d{1,4}(?:\.[\w.-]{1,64})?/
const FAILURE_PAUSE = 1_000

/** Whether a text can be the name of a header field and of a cookie. */
export function isHeaderName(text: string): boolean {
  return isToken(text, MAX_COOKIE_NAME)
}

/** Whether a version is the one that is expected, or one of its kind: 7.5.1 is 7.5. */
function isPrecise(version: string, expected: string): boolean {
  return version === expected || version.startsWith(`${expected}.`)
}

/** Finds out what the configuration leaves open. */
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

  /** Where the server sets its session cookie; nowhere in particular while it can not be asked. */
  async cookieDomains(): Promise<readonly string[]> {
    try {
      return (await this.#cookie.get()).domains
    } catch {
      return []
    }
  }

  /** The server's own word beats the configuration; while it can not be asked, the configuration's counts. */
  async dialect(): Promise<AmDialect> {
    try {
      return await this.#dialect.get()
    } catch {
      return this.assumed
    }
  }

  /** What is known without asking. */
  get assumed(): AmDialect {
    return this.#dialect.fresh ?? dialectOf(this.#settings.version)
  }

  /** What the server or the configuration has told; null before. */
  get told(): AmDialect | null {
    return this.#dialect.fresh ?? (this.#settings.version === null ? null : dialectOf(this.#settings.version))
  }

  /** Whether the REST API answers at this moment. */
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
    const got = status === 200 ? 'an answer without a cookieName' : `the status ${status}`
    throw new AccessManagerError(
      'unavailable',
      `serverinfo: expected the name of the session cookie, got ${got}; check url, or set ssoTokenHeader`,
    )
  }

  async #askForVersion(): Promise<AmDialect> {
    const { agentHandler, uris, version: configured, callTimeout, logger } = this.#settings
    const call = { method: 'GET', uri: uris.server('serverinfo/version'), resource: '1.0' } as const
    const { status, json } = await callRest(agentHandler, call, callTimeout)
    if (status === 503) throw new AccessManagerError('unavailable', 'serverinfo: the version can not be asked for')
    const found = json?.['version']
    if (status === 200 && typeof found === 'string' && VERSION.test(found)) {
      const version = VERSION.exec(found)![0]
      if (configured !== null && !isPrecise(version, configured)) {
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
