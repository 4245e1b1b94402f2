import type { AccessToken, AccessTokenResolver, Executor } from '#contracts'
import { type Exchange, endUpgraded, type Response, type UpgradedConnection, watchUpgrade } from '#http'
import type { Clock } from '#schema'

/** How often the token of an open connection is looked at again: news may be missed, or not exist. */
const CHECK_INTERVAL = 60_000

/** RFC 6455 section 7.4.1: what the connection does is no longer allowed. */
const POLICY_VIOLATION = 1008

/** What follows the tokens of open connections. */
interface Following {
  readonly resolver: AccessTokenResolver
  readonly executor: Executor
  readonly clock: Clock
}

/**
 * Lets a connection that leaves HTTP live no longer than the token it was opened with: it ends when the token expires,
 * when news say that it was revoked, or when the resolver does not know it any more.
 */
export function endWithToken(response: Response, token: AccessToken, exchange: Exchange, following: Following): void {
  watchUpgrade(response, (connection) => {
    const followed = new FollowedConnection(connection, token, exchange, following)
    followed.start()
    return () => followed.stop()
  })
}

class FollowedConnection {
  readonly #connection: UpgradedConnection
  readonly #token: AccessToken
  readonly #exchange: Exchange
  readonly #following: Following
  #stops: (() => void)[] = []
  #stopped = false

  constructor(connection: UpgradedConnection, token: AccessToken, exchange: Exchange, following: Following) {
    this.#connection = connection
    this.#token = token
    this.#exchange = exchange
    this.#following = following
  }

  start(): void {
    const { resolver } = this.#following
    const stopNews = resolver.watch?.(this.#token, () => this.#end('the access token was revoked'))
    if (stopNews !== undefined) this.#stops.push(stopNews)
    this.#wait(() => {})
  }

  stop(): void {
    this.#stopped = true
    for (const stop of this.#stops) stop()
    this.#stops = []
  }

  /** Looks again at the next moment that can matter; `elapsed` stops the timer that brought us here. */
  #wait(elapsed: () => void): void {
    if (this.#stopped) return
    const { executor } = this.#following
    const cancel = executor.schedule(Math.min(CHECK_INTERVAL, Math.max(0, this.#rest())), () => this.#look(cancel))
    this.#stops = [...this.#stops.filter((stop) => stop !== elapsed), cancel]
  }

  async #look(elapsed: () => void): Promise<void> {
    if (this.#rest() <= 0) return this.#end('the access token has expired')
    try {
      const { outcome } = await this.#following.resolver.resolve(this.#token.token, this.#exchange)
      if (outcome === 'invalid') this.#end('the access token is not valid any more')
    } finally {
      // While the lookup fails, the connection stays open: it was granted, and the next lookup may succeed.
      this.#wait(elapsed)
    }
  }

  #rest(): number {
    const { expiresAt } = this.#token
    return expiresAt === null ? Number.POSITIVE_INFINITY : expiresAt - this.#following.clock.now()
  }

  #end(reason: string): void {
    if (this.#stopped) return
    this.stop()
    endUpgraded(this.#connection, POLICY_VIOLATION, reason)
  }
}
