import { type LoadResult, type RevocableCache, Unavailable } from '#cache'
import type { AccessToken, AccessTokenResolver, TokenRejection, TokenResolution } from '#contracts'
import type { Exchange } from '#http'
import { deepFreeze } from '#json'
import type { LogEvent, Logger } from '#logging'
import type { Clock } from '#schema'
import type { FallbackTtl } from '../caching/fallback-ttl.ts'
import { EVENTS } from './log-events.ts'
import type { RecentValues } from './recent-values.ts'
import { digestOf, tagsOfToken } from './token-tags.ts'

type TokenFacts = Omit<AccessToken, 'token'>

/** A cached resolution: facts or a refusal, without the token itself. */
export interface CachedResolution {
  readonly facts: TokenFacts | null
  readonly refusal: TokenRejection | null
}

interface CachedResolverSettings {
  readonly defaultTimeout: number
  /** Milliseconds; null where only the expiry of the token counts. */
  readonly maxTimeout: number | null
  readonly cache: RevocableCache<CachedResolution>
  /** Cache keys of recent tokens. */
  readonly digests: RecentValues<string>
  /** Whether notifications invalidate revoked tokens. */
  readonly isNotified: boolean
  /** Of each access manager. */
  readonly fallbackTtls: readonly FallbackTtl[]
  readonly clock: Clock
  readonly logger: Logger
}

/** Log events of a cache of tokens. */
export const TOKEN_CACHE_EVENTS: readonly LogEvent[] = [
  EVENTS.REVOCATIONS_INCOMPLETE,
  EVENTS.TOKENS_DENIED,
  EVENTS.TOKEN_WITHOUT_ID,
]

/** Caches the resolutions of another resolver. Checks of single requests (`admit`) are never cached. */
export class CachedResolver implements AccessTokenResolver {
  readonly schemes: readonly ('Bearer' | 'DPoP')[]
  readonly accessManagers: NonNullable<AccessTokenResolver['accessManagers']>
  readonly admit?: NonNullable<AccessTokenResolver['admit']>
  readonly verifiesBinding?: NonNullable<AccessTokenResolver['verifiesBinding']>
  readonly #delegate: AccessTokenResolver
  readonly #settings: CachedResolverSettings
  #hasWarned = false

  constructor(delegate: AccessTokenResolver, settings: CachedResolverSettings) {
    this.schemes = delegate.schemes ?? ['Bearer']
    this.accessManagers = delegate.accessManagers ?? []
    if (delegate.admit !== undefined) this.admit = delegate.admit.bind(delegate)
    if (delegate.verifiesBinding !== undefined) this.verifiesBinding = delegate.verifiesBinding.bind(delegate)
    this.#delegate = delegate
    this.#settings = settings
  }

  resolve(token: string, exchange: Exchange): TokenResolution | Promise<TokenResolution> {
    const { cache, digests } = this.#settings
    const recent = digests.get(token)
    const key = recent ?? digestOf(token)
    const cached = cache.hit(key)
    if (cached === null) return this.#loaded(key, token, exchange)
    // Only those of valid tokens: invented ones take no memory.
    if (recent === undefined) digests.set(token, key)
    return this.#resolutionOf(cached, token, true)
  }

  watch(accessToken: AccessToken, revoked: () => void): () => void {
    const { token, info } = accessToken
    const stop = () => {
      stopOwn()
      stopDelegate?.()
    }
    const onRevoked = () => {
      stop()
      revoked()
    }
    const stopOwn = this.#settings.cache.watch([digestOf(token), ...tagsOfToken(info)], onRevoked)
    const stopDelegate = this.#delegate.watch?.(accessToken, onRevoked)
    return stop
  }

  #loaded(key: string, token: string, exchange: Exchange): TokenResolution | Promise<TokenResolution> {
    const found = this.#settings.cache.get(key, () => this.#load(key, token, exchange))
    return found instanceof Promise
      ? found.then((loaded) => this.#resolutionOf(loaded, token, false))
      : this.#resolutionOf(found, token, true)
  }

  #resolutionOf(found: CachedResolution | Unavailable, token: string, fromCache: boolean): TokenResolution {
    if (found instanceof Unavailable) return this.#unavailable(found)
    const { facts, refusal } = found
    if (facts === null) return refusal as TokenRejection
    const { info, scopes, expiresAt } = facts
    return { outcome: 'valid', accessToken: { token, info, scopes, expiresAt }, fromCache }
  }

  #unavailable({ reason }: Unavailable): TokenRejection {
    this.#settings.logger.limited(reason).warn({ reason }, EVENTS.TOKENS_DENIED)
    return { outcome: 'unavailable', description: 'Access tokens can not be checked at the moment.' }
  }

  async #load(key: string, token: string, exchange: Exchange): Promise<LoadResult<CachedResolution>> {
    const resolution = await this.#delegate.resolve(token, exchange)
    if (resolution.outcome !== 'valid') {
      const negative = resolution.outcome === 'invalid' && resolution.headers === undefined
      return { value: { facts: null, refusal: resolution }, ttl: 0, tags: [key], negative }
    }
    const { info, scopes, expiresAt } = resolution.accessToken
    const tags = tagsOfToken(info)
    const limit = Math.min(...(await Promise.all(this.#settings.fallbackTtls.map((ttl) => ttl.limit()))))
    if (Number.isFinite(limit)) this.#warnUnnotified(limit)
    else if (tags.length === 0) this.#warnUntagged()
    // Shared by many requests.
    const facts: TokenFacts = { info: deepFreeze(info), scopes: frozenSet(scopes), expiresAt }
    return { value: { facts, refusal: null }, ttl: this.#ttlOf(expiresAt, limit), tags: [key, ...tags] }
  }

  /** Spec, `cache` fields of OAuth2ResourceServerFilter: the expiry of the token within `maxTimeout`, else the default. */
  #ttlOf(expiresAt: number | null, limit: number): number {
    const { defaultTimeout, maxTimeout, clock } = this.#settings
    const left = expiresAt === null ? defaultTimeout : expiresAt - clock.now()
    return Math.min(left, maxTimeout ?? Number.POSITIVE_INFINITY, limit)
  }

  #warnUnnotified(limit: number): void {
    if (this.#hasWarned) return
    this.#hasWarned = true
    this.#settings.logger.warn({ seconds: Math.round(limit / 1_000) }, EVENTS.REVOCATIONS_INCOMPLETE)
  }

  #warnUntagged(): void {
    if (this.#hasWarned || !this.#settings.isNotified) return
    this.#hasWarned = true
    this.#settings.logger.warn(EVENTS.TOKEN_WITHOUT_ID)
  }
}

/** A set whose methods refuse changes: Object.freeze does not. */
function frozenSet(scopes: ReadonlySet<string>): ReadonlySet<string> {
  const refuse = () => {
    throw new TypeError('the scopes of an access token can not be changed')
  }
  return Object.freeze(Object.assign(new Set(scopes), { add: refuse, delete: refuse, clear: refuse }))
}
