import { CachedValue } from '#cache'
import { AccessManagerError } from '#contracts'
import type { Logger } from '#logging'
import type { Clock, Counter } from '#schema'
import { EVENTS } from './log-events.ts'

/** What a session of the agent is made and ended by. */
interface AgentSessionSettings {
  readonly clock: Clock
  readonly logger: Logger
  readonly logins: Counter
  readonly failedLogins: Counter
  logIn(): Promise<string>
  logOut(token: string): Promise<void>
}

/** Whoever is refused is likely to be refused again: an account must not be locked by asking for each request. */
const PAUSE_AFTER_REFUSAL = 10_000
const PAUSE_AFTER_FAILURE = 1_000

/** A server that takes no session it has just given would otherwise be asked for one with each request. */
const MOST_RENEWALS = 5
const RENEWAL_WINDOW = 10_000

/** How long a route that is retired waits for the end of its session. */
export const LOGOUT_LIMIT = 2_000

/** The session of the agent: begun when it is first wanted, by one login for all who wait. */
export class AgentSession {
  readonly #settings: AgentSessionSettings
  readonly #token: CachedValue<string>
  readonly #renewals: number[] = []
  #failing = false
  #closed = false

  constructor(settings: AgentSessionSettings) {
    this.#settings = settings
    this.#token = new CachedValue({
      clock: settings.clock,
      load: () => this.#logIn(),
      failurePause: (error) =>
        error instanceof AccessManagerError && error.reason !== 'unavailable'
          ? PAUSE_AFTER_REFUSAL
          : PAUSE_AFTER_FAILURE,
    })
  }

  /** Rejects with an AccessManagerError. */
  async token(): Promise<string> {
    if (this.#closed) throw new AccessManagerError('unavailable', 'the session of the agent has ended')
    return this.#token.get()
  }

  /** The token that takes the place of one that the server does not take any more: one login, whoever else noticed. */
  async renewed(stale: string): Promise<string> {
    if (this.#token.fresh === stale) {
      this.#admitRenewal()
      this.#token.invalidate()
    }
    return this.token()
  }

  /** The credentials may have changed: a refusal of before says nothing any more. */
  retry(): void {
    this.#token.endPause()
  }

  /** Ends the session at the server, if it can be done in a moment. */
  async close(): Promise<void> {
    this.#closed = true
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, LOGOUT_LIMIT)
    await Promise.race([this.#logOut(), late])
    clearTimeout(timer)
  }

  async #logOut(): Promise<void> {
    try {
      const token = this.#token.fresh ?? (await this.#token.pending)
      this.#token.invalidate()
      if (token !== null) await this.#settings.logOut(token)
    } catch (error) {
      this.#settings.logger.debug({ error }, 'the agent could not log out')
    }
  }

  async #logIn(): Promise<string> {
    const { logIn, logger, logins, failedLogins } = this.#settings
    try {
      const token = await logIn()
      logins.add()
      if (this.#failing) logger.info('the agent can log in again')
      this.#failing = false
      return token
    } catch (error) {
      failedLogins.add()
      if (!this.#failing) logger.error({ error }, EVENTS.AGENT_LOGIN_FAILED)
      this.#failing = true
      throw error
    }
  }

  #admitRenewal(): void {
    const now = this.#settings.clock.monotonic()
    while (this.#renewals[0] !== undefined && now - this.#renewals[0] >= RENEWAL_WINDOW) this.#renewals.shift()
    if (this.#renewals.length >= MOST_RENEWALS) {
      const message = 'the access manager does not take sessions that it has just given; the agent waits a while'
      throw new AccessManagerError('unavailable', message)
    }
    this.#renewals.push(now)
  }
}
