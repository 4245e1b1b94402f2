import { hash } from 'node:crypto'
import { normalRealm } from '#access-manager'
import type { DisconnectionStrategy, LoadResult, RevocableCache, Unavailable } from '#cache'
import type { AmService, Executor, Notification } from '#contracts'
import type { Environment } from '#schema'
import { sessionTags, tokenDigest } from '../../lib/am/session-tags.ts'
import { openCache } from '../../lib/caching/cache.ts'
import { FallbackTtl } from '../../lib/caching/fallback-ttl.ts'
import { type Decision, SubjectRefused } from './evaluate-policies.ts'
import { cacheKeyOf, type EvaluationRequest, type Subject } from './evaluation-request.ts'

/** TTL of a decision without `ttl` where nothing is configured. */
const DEFAULT_TIMEOUT = 60_000
/** TTL of a decision where notifications of changes may get lost. */
const FALLBACK_TTL = 30_000

interface DecisionCacheSettings {
  readonly defaultTimeout?: number | undefined
  readonly maximumTimeToCache?: number | undefined
  readonly maximumSize: number
  readonly executor: Executor
  readonly onNotificationDisconnection: DisconnectionStrategy
}

/** Realm and policy set: part of the cache key. */
interface DecisionSource {
  readonly realm: string
  readonly application: string | null
}

/** Cached decisions, invalidated when a policy or session behind them changes. Those with advices are not cached. */
export class DecisionCache {
  readonly #cache: RevocableCache<Decision | SubjectRefused>
  readonly #settings: DecisionCacheSettings
  readonly #env: Environment
  readonly #fallbackTtl: FallbackTtl
  readonly #policyTags: readonly string[]
  /** Prefix of all cache keys. */
  readonly #source: string

  constructor(amService: AmService, source: DecisionSource, settings: DecisionCacheSettings, env: Environment) {
    this.#settings = settings
    this.#env = env
    this.#fallbackTtl = new FallbackTtl(
      amService,
      {
        configured: settings.maximumTimeToCache ?? settings.defaultTimeout ?? null,
        fallback: FALLBACK_TTL,
        field: settings.maximumTimeToCache === undefined ? 'cache.defaultTimeout' : 'cache.maximumTimeToCache',
        accepted: 'ended sessions and withdrawn permissions',
      },
      env,
    )
    const realm = normalRealm(source.realm)
    this.#source = JSON.stringify([realm, source.application])
    // Without application the access manager chooses the policy set, so that notifications about any set invalidate.
    const set = source.application === null ? anySetTag(realm) : setTag(realm, source.application)
    this.#policyTags = [set, realmTag(realm)]
    const { notifications } = amService
    if (notifications === null)
      env.warn('the notifications of amService are disabled: changed policies take effect when cached decisions expire')
    const { onNotificationDisconnection: strategy } = settings
    this.#cache = openCache('policy-decision', settings, notifications && { notifications, strategy, tagsOf }, env)
  }

  /** The cached decision, or that of `evaluate`; `sessionNames` returns further tags of the entry. */
  find(
    evaluation: EvaluationRequest,
    sessionNames: () => readonly string[],
    evaluate: () => Promise<Decision | SubjectRefused>,
  ): Decision | SubjectRefused | Unavailable | Promise<Decision | SubjectRefused | Unavailable> {
    const key = hash('sha256', this.#source + cacheKeyOf(evaluation), 'base64url')
    return this.#cache.get(key, async () => this.#answer(await evaluate(), evaluation.subject, sessionNames()))
  }

  /** A decision that is never cached. */
  bypass(evaluate: () => Promise<Decision | SubjectRefused>): Promise<Decision | SubjectRefused | Unavailable> {
    return this.#cache.bypass(evaluate)
  }

  async #answer(
    decision: Decision | SubjectRefused,
    { ssoToken }: Subject,
    sessionNames: readonly string[],
  ): Promise<LoadResult<Decision | SubjectRefused>> {
    const token = ssoToken === undefined ? [] : [tokenDigest(ssoToken), ...sessionNames]
    const tags = [...this.#policyTags, ...token]
    // Negative cache: requests with invented subjects cause few evaluations.
    if (decision instanceof SubjectRefused) return { value: decision, ttl: 0, tags, negative: true }
    return { value: decision, ttl: await this.#ttlOf(decision), tags }
  }

  async #ttlOf(decision: Decision): Promise<number> {
    if (Object.keys(decision.context.advices).length > 0) return 0
    const { defaultTimeout, maximumTimeToCache } = this.#settings
    const limit = Math.min(maximumTimeToCache ?? Number.POSITIVE_INFINITY, await this.#fallbackTtl.limit())
    const left = decision.ttl === null ? (defaultTimeout ?? DEFAULT_TIMEOUT) : decision.ttl - this.#env.clock.now()
    return Math.min(left, limit)
  }
}

/** Tags that a notification invalidates: a policy set, all sets of a realm where it names none, or a session. */
function tagsOf(notification: Notification): readonly string[] | 'everything' {
  const { topic, body } = notification
  if (!topic.startsWith('/agent/policy')) return sessionTags(notification)
  const { realm, policySet } = body
  if (typeof realm !== 'string' || realm === '') return 'everything'
  const normal = normalRealm(realm)
  if (typeof policySet !== 'string' || policySet === '') return [realmTag(normal)]
  return [setTag(normal, policySet), anySetTag(normal)]
}

// Servers compare these names case-insensitively; invalidating one decision too many does no harm.
const setTag = (realm: string, policySet: string) => policiesOf('set', realm, policySet)
const anySetTag = (realm: string) => policiesOf('any set', realm)
const realmTag = (realm: string) => policiesOf('realm', realm)
const policiesOf = (...names: readonly string[]) => `policies of ${JSON.stringify(names).toLowerCase()}`
