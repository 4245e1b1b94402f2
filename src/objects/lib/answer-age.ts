import type { AmDialect, AmService } from '#contracts'
import type { Environment } from '#schema'

/** The access manager that answers, and what tells when an answer is good no longer. */
export type AnswerSource = Pick<AmService, 'notifications' | 'knownDialect' | 'dialect'>

/** For how long answers are used. */
export interface AgeSettings {
  /** Milliseconds that the configuration allows; null where it does not say. */
  readonly configured: number | null
  /** Milliseconds where notifications can not be relied on and nothing is configured. */
  readonly short: number
  /** The fields that set it, for the warning about long times. */
  readonly field: string
  /** What is accepted for that time, for the same warning: "ended sessions". */
  readonly accepted: string
}

/** Longer times without a question are warned of. */
const WARNED_ABOVE = 5 * 60_000

/** How long an answer may be used without asking again, where notifications alone do not end it (decisions 13). */
export class AnswerAge {
  readonly #source: AnswerSource
  readonly #settings: AgeSettings
  readonly #logger: Environment['logger']
  #hasWarned = false

  constructor(source: AnswerSource, settings: AgeSettings, env: Pick<Environment, 'logger' | 'warn'>) {
    this.#source = source
    this.#settings = settings
    this.#logger = env.logger
    const { knownDialect } = source
    if (knownDialect !== null) this.#warn(knownDialect, (message) => env.warn(message))
  }

  /** Milliseconds; `Infinity` where notifications tell of every answer that is good no longer. */
  async limit(): Promise<number> {
    const { notifications } = this.#source
    const dialect = await this.#source.dialect()
    // A version that was told only after the configuration was loaded.
    this.#warn(dialect, (message) => this.#logger.warn(message))
    if (!dialect.losesNotifications && notifications?.isAbsent !== true) return Number.POSITIVE_INFINITY
    return this.#settings.configured ?? this.#settings.short
  }

  #warn({ family, losesNotifications }: AmDialect, tell: (message: string) => void): void {
    const { configured, field, accepted } = this.#settings
    if (this.#hasWarned || !losesNotifications || configured === null || configured <= WARNED_ABOVE) return
    this.#hasWarned = true
    const server = family === 'openam' ? 'OpenAM loses notifications' : 'notifications may get lost'
    tell(
      `${field}: ${accepted} are accepted for up to ${Math.round(configured / 1_000)} seconds, because ${server}; 5 minutes at most are advised`,
    )
  }
}
