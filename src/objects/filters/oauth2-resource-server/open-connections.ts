import type { AccessToken, AccessTokenResolver, Executor } from '#contracts'
import { type Exchange, endUpgraded, type Response, type UpgradedConnection, watchUpgrade } from '#http'
import type { Clock } from '#schema'

/** Interval at which the token of an open connection is resolved again, since notifications may be lost or disabled. */
const CHECK_INTERVAL = 60_000

/** RFC 6455 section 7.4.1. */
const POLICY_VIOLATION = 1008

interface WatchSettings {
  readonly resolver: AccessTokenResolver
  readonly executor: Executor
  readonly clock: Clock
}

/**
 * Closes an upgraded connection when its token expires, when a notification revokes it, or when the resolver returns it as invalid.
 */
export function endWithToken(
  response: Response,
  token: AccessToken,
  exchange: Exchange,
  settings: WatchSettings,
): void {
  watchUpgrade(response, (connection) => {
    const watched = new WatchedConnection(connection, token, exchange, settings)
    watched.start()
    return () => watched.stop()
  })
}

class WatchedConnection {
  readonly #connection: UpgradedConnection
  readonly #token: AccessToken
  readonly #exchange: Exchange
  readonly #settings: WatchSettings
  #stops: (() => void)[] = []
  #stopped = false

  constructor(connection: UpgradedConnection, token: AccessToken, exchange: Exchange, settings: WatchSettings) {
    this.#connection = connection
    this.#token = token
    this.#exchange = exchange
    this.#settings = settings
  }

  start(): void {
    const { resolver } = this.#settings
    const stopWatch = resolver.watch?.(this.#token, () => this.#end('the access token was revoked'))
    if (stopWatch !== undefined) this.#stops.push(stopWatch)
    this.#wait(() => {})
  }

  stop(): void {
    this.#stopped = true
    for (const stop of this.#stops) stop()
    this.#stops = []
  }

  /** Schedules the next check, at the interval or at the expiry; `elapsed` is the cancel function of the timer that just fired. */
  #wait(elapsed: () => void): void {
    if (this.#stopped) return
    const { executor } = this.#settings
    const cancel = executor.schedule(Math.min(CHECK_INTERVAL, Math.max(0, this.#remaining())), () =>
      this.#check(cancel),
    )
    this.#stops = [...this.#stops.filter((stop) => stop !== elapsed), cancel]
  }

  async #check(elapsed: () => void): Promise<void> {
    if (this.#remaining() <= 0) return this.#end('the access token has expired')
    try {
      const { outcome } = await this.#settings.resolver.resolve(this.#token.token, this.#exchange)
      if (outcome === 'invalid') this.#end('the access token is not valid any more')
    } finally {
      // While the lookup fails, the connection stays open: it was granted, and the next lookup may succeed.
      this.#wait(elapsed)
    }
  }

  #remaining(): number {
    const { expiresAt } = this.#token
    return expiresAt === null ? Number.POSITIVE_INFINITY : expiresAt - this.#settings.clock.now()
  }

  #end(reason: string): void {
    if (this.#stopped) return
    this.stop()
    endUpgraded(this.#connection, POLICY_VIOLATION, reason)
  }
}
