import type { AmDialect, AmService } from '#contracts'
import type { Environment } from '#schema'
import { configWarning } from '#schema'

/** The access manager whose responses are cached. */
export type NotifyingService = Pick<AmService, 'notifications' | 'knownDialect' | 'dialect'>

interface FallbackTtlSettings {
  /** Milliseconds; null where nothing is configured. */
  readonly configured: number | null
  /** Milliseconds where nothing is configured. */
  readonly fallback: number
  /** The fields that set it, for the warning about long times. */
  readonly field: string
  /** The stale data accepted for that time, for the same warning: "ended sessions". */
  readonly accepted: string
}

const WARNED_ABOVE = 5 * 60_000

/** Limits the TTL of cached responses where notifications do not reliably invalidate them (decisions 13). */
export class FallbackTtl {
  readonly #source: NotifyingService
  readonly #settings: FallbackTtlSettings
  readonly #logger: Environment['logger']
  #hasWarned = false

  constructor(source: NotifyingService, settings: FallbackTtlSettings, env: Pick<Environment, 'logger' | 'warn'>) {
    this.#source = source
    this.#settings = settings
    this.#logger = env.logger
    const { knownDialect } = source
    if (knownDialect !== null) this.#warn(knownDialect, (message) => env.warn(message))
  }

  /** Milliseconds; `Infinity` where notifications invalidate every cached response. */
  async limit(): Promise<number> {
    const { notifications } = this.#source
    const dialect = await this.#source.dialect()
    // The version may be known only after the configuration was loaded.
    this.#warn(dialect, (message) => this.#logger.warn(configWarning(message)))
    if (!dialect.losesNotifications && notifications?.isAbsent !== true) return Number.POSITIVE_INFINITY
    return this.#settings.configured ?? this.#settings.fallback
  }

  #warn({ family, losesNotifications }: AmDialect, warn: (message: string) => void): void {
    const { configured, field, accepted } = this.#settings
    if (this.#hasWarned || !losesNotifications || configured === null || configured <= WARNED_ABOVE) return
    this.#hasWarned = true
    const server = family === 'openam' ? 'OpenAM loses notifications' : 'notifications may get lost'
    warn(
      `${field}: ${accepted} are accepted for up to ${Math.round(configured / 1_000)} seconds, because ${server}; 5 minutes at most are advised`,
    )
  }
}
