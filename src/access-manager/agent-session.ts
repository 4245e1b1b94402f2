import { CachedValue } from '#cache'
import { AccessManagerError } from '#contracts'
import type { Logger } from '#logging'
import type { Clock, Counter } from '#schema'
import { boundedWait } from '#timing'
import { EVENTS } from './log-events.ts'

interface AgentSessionSettings {
  readonly clock: Clock
  readonly logger: Logger
  readonly logins: Counter
  readonly failedLogins: Counter
  /** Called after each login. */
  loggedIn(isSuccessful: boolean): void
  logIn(): Promise<string>
  logOut(token: string): Promise<void>
}

/** Pause after rejected credentials, since repeated attempts could lock the account. */
const PAUSE_AFTER_REFUSAL = 10_000
const PAUSE_AFTER_FAILURE = 1_000

/** Limits logins at a server that rejects the sessions it has just issued. */
const MAX_RENEWALS = 5
const RENEWAL_WINDOW = 10_000

/** Milliseconds that the disposal of a route waits for the logout. */
export const LOGOUT_LIMIT = 2_000

/** Session of the agent: created on first use, single-flight. */
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

  /** A new token in place of one that the server rejected: one login for all concurrent callers. */
  async renewed(stale: string): Promise<string> {
    if (this.#token.fresh === stale) {
      this.#admitRenewal()
      this.#token.invalidate()
    }
    return this.token()
  }

  /** Ends the pause after rejected credentials: they may have changed. */
  retry(): void {
    this.#token.endPause()
  }

  /** Ends the session at the server, within LOGOUT_LIMIT. */
  async close(): Promise<void> {
    this.#closed = true
    await boundedWait(this.#logOut(), LOGOUT_LIMIT)
  }

  async #logOut(): Promise<void> {
    try {
      const token = this.#token.fresh ?? (await this.#token.pending)
      this.#token.invalidate()
      if (token !== null) await this.#settings.logOut(token)
    } catch (error) {
      this.#settings.logger.debug({ error }, 'agent logout failed')
    }
  }

  async #logIn(): Promise<string> {
    const { logIn, loggedIn, logger, logins, failedLogins } = this.#settings
    try {
      const token = await logIn()
      logins.add()
      if (this.#failing) logger.info('agent login succeeded again')
      this.#failing = false
      loggedIn(true)
      return token
    } catch (error) {
      failedLogins.add()
      if (!this.#failing) logger.error({ error }, EVENTS.AGENT_LOGIN_FAILED)
      this.#failing = true
      loggedIn(false)
      throw error
    }
  }

  #admitRenewal(): void {
    const now = this.#settings.clock.monotonic()
    while (this.#renewals[0] !== undefined && now - this.#renewals[0] >= RENEWAL_WINDOW) this.#renewals.shift()
    if (this.#renewals.length >= MAX_RENEWALS) {
      const message = 'the access manager rejects sessions that it has just issued; logins of the agent are paused'
      throw new AccessManagerError('unavailable', message)
    }
    this.#renewals.push(now)
  }
}
