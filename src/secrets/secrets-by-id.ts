import { CachedValue } from '#cache'
import { type Secret, SecretError, type SecretQuery, type SecretStore } from '#contracts'
import type { Logger } from '#logging'
import type { Clock } from '#schema'
import { ChangeListeners } from './change-listeners.ts'
import { EVENTS } from './log-events.ts'
import { notAfterOf, type SecretExpiry } from './secret-expiry.ts'
import { READ_FAILURE_PAUSE, type Versioned } from './versioned.ts'

/** The secrets of one id; null for an unknown id. */
export type SecretsOfId = readonly Secret[] | null

interface SecretsByIdSettings {
  readonly lease: number
  readonly clock: Clock
  readonly logger: Logger
  readonly expiry: SecretExpiry
  /** Reads them now; `cached` are the last ones, until their lease ends. */
  read(secretId: string, cached: SecretsOfId): Promise<Versioned<SecretsOfId>>
}

/** Ids come from the configuration and are few; the limit bounds memory. */
const MOST_IDS = 10_000

/** A store that reads the secrets of each id separately, on first use, and caches them for a lease. */
export class SecretsById implements SecretStore {
  readonly #settings: SecretsByIdSettings
  readonly #byId = new Map<string, CachedValue<Versioned<SecretsOfId>>>()
  readonly #changes = new ChangeListeners()
  readonly onChange = this.#changes.onChange

  constructor(settings: SecretsByIdSettings) {
    this.#settings = settings
  }

  /** The ids that were queried. */
  get ids(): readonly string[] {
    return [...this.#byId.keys()]
  }

  async find({ secretId }: SecretQuery): Promise<SecretsOfId> {
    const known = this.#byId.get(secretId)
    if (known !== undefined) return (await known.get()).content
    if (this.#byId.size >= MOST_IDS) throw new SecretError(`more than ${MOST_IDS} secret ids were queried`)
    const cached = this.#cached(secretId)
    this.#byId.set(secretId, cached)
    return (await cached.get()).content
  }

  problemOf(secretId: string): Error | null | undefined {
    const known = this.#byId.get(secretId)
    const { failure = null, last = null } = known ?? {}
    return failure ?? (last?.content ? null : undefined)
  }

  /** Reads the secrets of an id again; never rejects. */
  async refresh(secretId: string): Promise<void> {
    await this.#byId.get(secretId)?.refresh()
  }

  async refreshAll(): Promise<void> {
    await Promise.all(this.ids.map((id) => this.refresh(id)))
  }

  #cached(secretId: string): CachedValue<Versioned<SecretsOfId>> {
    const { lease, clock, logger, expiry, read } = this.#settings
    const cached: CachedValue<Versioned<SecretsOfId>> = new CachedValue({
      ttl: lease,
      failurePause: READ_FAILURE_PAUSE,
      clock,
      load: () => read(secretId, cached.fresh?.content ?? null),
      onFailure: (error, previous, kept) => {
        if (error.message === previous?.message) return
        const outcome = kept > 0 ? 'the last good one counts until its lease ends' : 'queries for it fail'
        logger.error(
          { error, secretId, keptForMilliseconds: kept },
          EVENTS.SECRET_UNREADABLE.withMessage(`secret can not be read; ${outcome}`),
        )
      },
      onRecovery: () => logger.info({ secretId }, 'secret can be read again'),
      onLoaded: ({ version }, previous) => {
        expiry.measure(secretId, () => notAfterOf(cached.last?.content?.[0]))
        if (previous === null || previous.version === version) return
        logger.info({ secretId }, 'secret changed')
        this.#changes.tell()
      },
    })
    return cached
  }
}
