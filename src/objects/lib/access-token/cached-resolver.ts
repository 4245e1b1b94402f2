import { type Answer, NotAsked, type RevocableCache } from '#cache'
import type { AccessToken, AccessTokenResolver, TokenRefusal, TokenResolution } from '#contracts'
import type { Exchange } from '#http'
import { deepFreeze } from '#json'
import type { Logger } from '#logging'
import type { Clock } from '#schema'
import type { AnswerAge } from '../answer-age.ts'
import { digestOf, namesIn } from './token-marks.ts'

/** What is kept of a token: everything but itself. */
type Facts = Omit<AccessToken, 'token'>

/** What is known of a token: one of both. */
export interface Verdict {
  readonly facts: Facts | null
  readonly refusal: TokenRefusal | null
}

/** How long answers are kept, in milliseconds. */
export interface KeepingTimes {
  readonly defaultTimeout: number
  /** Null where only the expiry of the token counts. */
  readonly maxTimeout: number | null
}

/** What surrounds a resolver that keeps answers. */
export interface CachingSettings extends KeepingTimes {
  readonly cache: RevocableCache<Verdict>
  /** Whether tokens are to go when they are revoked. */
  readonly hasNews: boolean
  /** How long a token is believed in where revocations are not told of; null without an access manager. */
  readonly age: AnswerAge | null
  readonly clock: Clock
  readonly logger: Logger
}

/** A resolver that asks another one only where it does not know. What holds for single requests is asked each time. */
export class CachedResolver implements AccessTokenResolver {
  readonly schemes: readonly ('Bearer' | 'DPoP')[]
  readonly admit?: NonNullable<AccessTokenResolver['admit']>
  readonly verifiesBinding?: NonNullable<AccessTokenResolver['verifiesBinding']>
  readonly #delegate: AccessTokenResolver
  readonly #settings: CachingSettings
  #hasSaid = false

  constructor(delegate: AccessTokenResolver, settings: CachingSettings) {
    this.schemes = delegate.schemes ?? ['Bearer']
    if (delegate.admit !== undefined) this.admit = delegate.admit.bind(delegate)
    if (delegate.verifiesBinding !== undefined) this.verifiesBinding = delegate.verifiesBinding.bind(delegate)
    this.#delegate = delegate
    this.#settings = settings
  }

  resolve(token: string, exchange: Exchange): TokenResolution | Promise<TokenResolution> {
    const key = digestOf(token)
    const found = this.#settings.cache.find(key, () => this.#ask(key, token, exchange))
    return found instanceof Promise ? found.then((late) => this.#told(late, token)) : this.#told(found, token)
  }

  watch(accessToken: AccessToken, revoked: () => void): () => void {
    const { token, info } = accessToken
    const stop = () => {
      stopOwn()
      stopTheirs?.()
    }
    const heard = () => {
      stop()
      revoked()
    }
    const stopOwn = this.#settings.cache.watch([digestOf(token), ...namesIn(info)], heard)
    const stopTheirs = this.#delegate.watch?.(accessToken, heard)
    return stop
  }

  #told(found: Verdict | NotAsked, token: string): TokenResolution {
    if (found instanceof NotAsked) return this.#notAsked(found)
    const { facts, refusal } = found
    if (facts === null) return refusal as TokenRefusal
    const { info, scopes, expiresAt } = facts
    return { outcome: 'valid', accessToken: { token, info, scopes, expiresAt } }
  }

  #notAsked({ reason }: NotAsked): TokenRefusal {
    this.#settings.logger.limited(reason).warn({ reason }, 'access tokens are denied without question')
    return { outcome: 'unavailable', description: 'Access tokens can not be checked at the moment.' }
  }

  async #ask(key: string, token: string, exchange: Exchange): Promise<Answer<Verdict>> {
    const resolution = await this.#delegate.resolve(token, exchange)
    if (resolution.outcome !== 'valid') {
      const negative = resolution.outcome === 'invalid' && resolution.headers === undefined
      return { value: { facts: null, refusal: resolution }, keepFor: 0, marks: [key], negative }
    }
    const { info, scopes, expiresAt } = resolution.accessToken
    const names = namesIn(info)
    const limit = (await this.#settings.age?.limit()) ?? Number.POSITIVE_INFINITY
    if (Number.isFinite(limit)) this.#sayUnannounced(limit)
    else if (names.length === 0) this.#sayNameless()
    // Many requests will share these: none may change what the next one sees.
    const facts: Facts = { info: deepFreeze(info), scopes: unchangeable(scopes), expiresAt }
    return { value: { facts, refusal: null }, keepFor: this.#keepFor(expiresAt, limit), marks: [key, ...names] }
  }

  /** Spec, `cache` fields of OAuth2ResourceServerFilter: the expiry of the token within `maxTimeout`, else the default. */
  #keepFor(expiresAt: number | null, limit: number): number {
    const { defaultTimeout, maxTimeout, clock } = this.#settings
    const left = expiresAt === null ? defaultTimeout : expiresAt - clock.now()
    return Math.min(left, maxTimeout ?? Number.POSITIVE_INFINITY, limit)
  }

  #sayUnannounced(limit: number): void {
    if (this.#hasSaid) return
    this.#hasSaid = true
    this.#settings.logger.warn(
      { seconds: Math.round(limit / 1_000) },
      'the access manager does not tell of every revoked token: one is accepted until it leaves the cache, after this time at most (defaultTimeout)',
    )
  }

  #sayNameless(): void {
    if (this.#hasSaid || !this.#settings.hasNews) return
    this.#hasSaid = true
    this.#settings.logger.warn(
      'what is known of an access token holds no authGrantId, auditTrackingId or jti: it is kept, but leaves the cache by time, or by news that hold the token or its SHA-256 digest',
    )
  }
}

/** A set that refuses changes also from those who ignore its type. */
function unchangeable(scopes: ReadonlySet<string>): ReadonlySet<string> {
  const refuse = () => {
    throw new TypeError('the scopes of an access token can not be changed')
  }
  return Object.freeze(Object.assign(new Set(scopes), { add: refuse, delete: refuse, clear: refuse }))
}
