import { type DecodedSecret, Secret, SecretError, type SecretQuery, type SecretStore } from '#contracts'
import type { Logger } from '#logging'
import type { Clock } from '#schema'
import { Changes } from './changes.ts'
import type { JwkSet } from './jwk-set.ts'
import { KeyMisses } from './key-misses.ts'

/** How keys are fetched and for how long they count. */
export interface RemoteKeysSettings {
  /** What messages call the store. */
  readonly source: string
  /** What messages call the place of the keys. */
  readonly place: string
  /** Milliseconds after which the keys are fetched anew. */
  readonly cacheTimeout: number
  /** Milliseconds for which a name that the endpoint was asked about, and did not have, is not asked about again. */
  readonly missCacheTime: number
  /** Milliseconds for which keys can be used at most, where fetching fails. */
  readonly lease: number
  readonly clock: Clock
  readonly logger: Logger
  fetch(): Promise<JwkSet>
}

interface Fetched extends JwkSet {
  readonly at: number
  /** Secrets by the id they were asked for: every id stands for the whole set. */
  readonly byId: Map<string, readonly Secret[]>
}

/** The endpoint is asked again at most this long after a failure. */
const FAILURE_PAUSE = 2_000
const MOST_IDS = 1_000
/** No issuer has longer key names. */
const LONGEST_NAME = 512

/**
 * Keys that somebody else publishes. Fetched when they are first wanted, by one request for all who wait. While the
 * endpoint fails, the last good set counts until its lease ends.
 */
export class RemoteKeys implements SecretStore {
  readonly #settings: RemoteKeysSettings
  readonly #changes = new Changes()
  readonly onChange = this.#changes.onChange
  #fetched: Fetched | null = null
  #fetching: { readonly at: number; readonly answer: Promise<Fetched> } | null = null
  #failed: { readonly error: SecretError; readonly retryAt: number } | null = null
  readonly #misses: KeyMisses

  constructor(settings: RemoteKeysSettings) {
    this.#settings = settings
    this.#misses = new KeyMisses(settings.missCacheTime)
  }

  /** Only keys come from here: a password is not known, so that another store can be asked for it. */
  async find({ secretId, purpose, stableId }: SecretQuery): Promise<readonly Secret[] | null> {
    if (purpose === 'GENERIC') return null
    const begun = this.#settings.clock.monotonic()
    const keys = await this.#current()
    const missing = stableId !== undefined && !hasKey(keys, stableId) && keys.at < begun
    return this.#secrets(missing ? await this.#afterMiss(keys, stableId) : keys, secretId)
  }

  async #current(): Promise<Fetched> {
    const { clock, cacheTimeout, lease } = this.#settings
    const now = clock.monotonic()
    const last = this.#fetched
    if (last !== null && now - last.at < Math.min(cacheTimeout, lease)) return last
    const usable = last !== null && now - last.at < lease ? last : null
    if (this.#failed === null) return this.#fetch().catch((error: unknown) => usable ?? Promise.reject(error))
    // While it is failing nobody waits for an endpoint that may not answer at all, as long as there are keys to use.
    if (now >= this.#failed.retryAt) {
      const attempt = this.#fetch()
      if (usable === null) return attempt
      attempt.catch(() => {})
    }
    if (usable !== null) return usable
    throw this.#failed.error
  }

  /**
   * A key that is not in the set may have been published just now, but anyone can make up names. Where it can not be looked
   * up now, a SecretError is thrown: the token may be good, so that "invalid" would be a wrong answer.
   */
  async #afterMiss(keys: Fetched, stableId: string): Promise<Fetched> {
    const { clock } = this.#settings
    const now = clock.monotonic()
    if (stableId.length > LONGEST_NAME || this.#misses.isKnown(stableId, now)) return keys
    if (this.#failed !== null && now < this.#failed.retryAt) throw this.#failed.error
    if (!this.#isFetching(now) && !this.#misses.takeLookup(now)) {
      this.#logExhausted()
      // A set with nameless keys can not tell which of them a token means: those are tried.
      if (keys.keys.some(({ stableId: name }) => (name ?? null) === null)) return keys
      throw new SecretError(`${this.#settings.source}: the key of the token can not be looked up at the moment`)
    }
    const fetched = await this.#fetch()
    if (hasKey(fetched, stableId)) return fetched
    // The answer to a request that began earlier may be older than the key.
    if (fetched.at < now) return this.#afterMiss(fetched, stableId)
    this.#misses.add(stableId, now)
    return fetched
  }

  #logExhausted(): void {
    this.#settings.logger
      .limited()
      .warn(
        { keys: this.#settings.place },
        'too many unknown key names in tokens: tokens with a key name that is not in the JWK Set get 503 until the next lookup',
      )
  }

  /** Single-flight; beside a request without an answer another one begins, so that a provider that is back is asked soon. */
  #fetch(): Promise<Fetched> {
    const at = this.#settings.clock.monotonic()
    const current = this.#fetching
    if (current !== null && this.#isFetching(at)) return current.answer
    const answer = this.#fetchOnce()
    const either = current === null ? answer : Promise.any([current.answer, answer]).catch(() => answer)
    const fetching = { at, answer: either.finally(() => this.#settled(fetching)) }
    this.#fetching = fetching
    return fetching.answer
  }

  /** Whether a request is under way that may still be answered soon. */
  #isFetching(now: number): boolean {
    return this.#fetching !== null && now - this.#fetching.at < FAILURE_PAUSE
  }

  #settled(fetching: object): void {
    if (this.#fetching === fetching) this.#fetching = null
  }

  async #fetchOnce(): Promise<Fetched> {
    const { clock, fetch, place, source, logger } = this.#settings
    const at = clock.monotonic()
    try {
      const set = await fetch()
      if (this.#fetched !== null && this.#fetched.at > at) return this.#fetched
      const changed = this.#fetched !== null && this.#fetched.version !== set.version
      this.#fetched = { ...set, at, byId: new Map() }
      if (this.#failed !== null) logger.info({ keys: place }, 'keys can be fetched again')
      this.#failed = null
      if (set.keys.length === 0) logger.warn({ keys: place }, 'a JWK Set holds no key that can be used')
      if (changed) this.#changes.tell()
      return this.#fetched
    } catch (cause) {
      const message = `${source}: the keys of ${place} can not be fetched: ${(cause as Error).message}`
      const error = new SecretError(message, { cause })
      if (this.#fetched !== null && this.#fetched.at > at) throw error
      if (this.#failed === null) logger.error({ error, keys: place }, 'keys can not be fetched')
      this.#failed = { error, retryAt: clock.monotonic() + FAILURE_PAUSE }
      throw error
    }
  }

  #secrets(fetched: Fetched, secretId: string): readonly Secret[] {
    const known = fetched.byId.get(secretId)
    if (known !== undefined) return known
    const secrets = fetched.keys.map((key: DecodedSecret) => {
      return new Secret({ ...key, secretId, source: this.#settings.source })
    })
    if (fetched.byId.size < MOST_IDS) fetched.byId.set(secretId, secrets)
    return secrets
  }
}

function hasKey({ keys }: Fetched, stableId: string): boolean {
  return keys.some((key) => key.stableId === stableId)
}
