import { CachedValue } from '#cache'
import { type DecodedSecret, Secret, SecretError, type SecretQuery, type SecretStore } from '#contracts'
import type { Logger } from '#logging'
import type { Clock } from '#schema'
import { ChangeListeners } from './change-listeners.ts'
import type { JwkSet } from './jwk-set.ts'
import { KeyMisses } from './key-misses.ts'
import { EVENTS } from './log-events.ts'
import { notAfterOf, type SecretExpiry } from './secret-expiry.ts'

interface RemoteKeysSettings {
  /** Name of the store in messages. */
  readonly source: string
  /** The ids that it has keys for; null for every id. */
  readonly secretIds: ReadonlySet<string> | null
  /** Location of the keys in messages. */
  readonly place: string
  /** Milliseconds after which the keys are fetched again. */
  readonly cacheTimeout: number
  /** TTL of a miss in milliseconds: a key name that was not in the set is not looked up again. */
  readonly missCacheTime: number
  /** Milliseconds for which the last keys are used while fetching fails. */
  readonly lease: number
  readonly clock: Clock
  readonly logger: Logger
  readonly expiry?: SecretExpiry
  fetch(): Promise<JwkSet>
}

interface Fetched extends JwkSet {
  /** Start of the request, on the monotonic clock. */
  readonly at: number
  /** Secrets by id: every id has the whole set. */
  readonly byId: Map<string, readonly Secret[]>
}

/** Milliseconds without a request after a failure, and until a second request beside a pending one. */
const FAILURE_PAUSE = 2_000
const MAX_IDS = 1_000
/** Longer than the key names of any issuer. */
const MAX_NAME_LENGTH = 512

/** Keys that a server publishes as a JWK Set, fetched on first use. While fetching fails, the last set is used until its lease ends. */
export class RemoteKeys implements SecretStore {
  readonly #settings: RemoteKeysSettings
  readonly #changes = new ChangeListeners()
  readonly onChange = this.#changes.onChange
  readonly hasEveryId: boolean
  readonly #keys: CachedValue<Fetched>
  readonly #misses: KeyMisses

  constructor(settings: RemoteKeysSettings) {
    const { clock, cacheTimeout, lease, logger, place: keys } = settings
    const ttl = Math.min(cacheTimeout, lease)
    this.#settings = settings
    this.hasEveryId = settings.secretIds === null
    this.#misses = new KeyMisses(settings.missCacheTime)
    this.#keys = new CachedValue({
      clock,
      ttl,
      staleTtl: lease - ttl,
      failurePause: FAILURE_PAUSE,
      hedgeAfter: FAILURE_PAUSE,
      load: () => this.#fetch(),
      onLoaded: (set, previous) => {
        if (set.keys.length === 0) logger.warn({ keys }, EVENTS.NO_USABLE_KEY)
        if (previous !== null && previous.version !== set.version) this.#changes.tell()
      },
      onFailure: (error, previous) => {
        if (previous === null) logger.error({ error, keys }, EVENTS.KEYS_NOT_FETCHED)
      },
      onRecovery: () => logger.info({ keys }, 'keys can be fetched again'),
    })
  }

  /** Null for passwords and private keys, so that another store is tried for them: a published set has public keys only. */
  async find({ secretId, purpose, stableId }: SecretQuery): Promise<readonly Secret[] | null> {
    if (purpose !== 'VERIFY' && purpose !== 'ENCRYPT') return null
    if (this.#settings.secretIds?.has(secretId) === false) return null
    const begun = this.#settings.clock.monotonic()
    const keys = await this.#keys.get()
    const missing = stableId !== undefined && !hasKey(keys, stableId) && keys.at < begun
    return this.#secrets(missing ? await this.#afterMiss(keys, stableId) : keys, secretId)
  }

  /**
   * A key that is not in the set may be new, but clients can invent names. Where it can not be looked up now, a SecretError is
   * thrown: the token may be valid.
   */
  async #afterMiss(keys: Fetched, stableId: string): Promise<Fetched> {
    const now = this.#settings.clock.monotonic()
    if (stableId.length > MAX_NAME_LENGTH || this.#misses.isKnown(stableId, now)) return keys
    const { pausedBy, pending } = this.#keys
    if (pausedBy !== null) throw pausedBy
    if (pending === null && !this.#misses.takeLookup(now)) {
      this.#logExhausted()
      // All keys without `kid` are tried.
      if (keys.keys.some(({ stableId: name }) => (name ?? null) === null)) return keys
      throw new SecretError(`${this.#settings.source}: the key of the token can not be looked up at the moment`)
    }
    const fetched = await this.#keys.reload()
    if (hasKey(fetched, stableId)) return fetched
    // The response to a request that started earlier may be older than the key.
    if (fetched.at < now) return this.#afterMiss(fetched, stableId)
    this.#misses.add(stableId, now)
    return fetched
  }

  #logExhausted(): void {
    this.#settings.logger.limited().warn({ keys: this.#settings.place }, EVENTS.TOO_MANY_UNKNOWN_KEYS)
  }

  async #fetch(): Promise<Fetched> {
    const { clock, fetch, place, source } = this.#settings
    const at = clock.monotonic()
    try {
      return { ...(await fetch()), at, byId: new Map() }
    } catch (cause) {
      const message = `${source}: the keys of ${place} can not be fetched: ${(cause as Error).message}`
      throw new SecretError(message, { cause })
    }
  }

  #secrets(fetched: Fetched, secretId: string): readonly Secret[] {
    const known = fetched.byId.get(secretId)
    if (known !== undefined) return known
    const secrets = fetched.keys.map((key: DecodedSecret) => {
      return new Secret({ ...key, secretId, source: this.#settings.source })
    })
    if (fetched.byId.size < MAX_IDS) {
      fetched.byId.set(secretId, secrets)
      this.#settings.expiry?.measure(secretId, () => lastNotAfter(this.#keys.last?.keys ?? []))
    }
    return secrets
  }
}

/** The latest end: a set may still publish keys whose certificates have ended. */
function lastNotAfter(keys: readonly DecodedSecret[]): number | null {
  const ends = keys.map(notAfterOf).filter((end) => end !== null)
  return ends.length === 0 ? null : Math.max(...ends)
}

function hasKey({ keys }: Fetched, stableId: string): boolean {
  return keys.some((key) => key.stableId === stableId)
}
