import { hash } from 'node:crypto'
import { normalRealm } from '#access-manager'
import { type Answer, cacheMetrics, type DisconnectionStrategy, RevocableCache, type Unavailable } from '#cache'
import type { AmService, Executor, Notification } from '#contracts'
import type { Environment } from '#schema'
import { FallbackTtl } from '../../lib/fallback-ttl.ts'
import { sessionTags, tokenDigest } from '../../lib/session-tags.ts'
import { type Decision, SubjectRefused } from './ask-decision.ts'
import { type Question, type Subject, textOfQuestion } from './policy-question.ts'

const SWEEP_INTERVAL = 10_000
/** TTL of a decision without `ttl` where nothing is configured. */
const DEFAULT_TIMEOUT = 60_000
/** TTL of a decision where notifications of changes may get lost. */
const FALLBACK_TTL = 30_000

/** TTLs are null where nothing is configured. */
interface DecisionCacheSettings {
  readonly defaultTimeout: number | null
  readonly maximumTimeToCache: number | null
  readonly maximumSize: number
  readonly executor: Executor
  readonly strategy: DisconnectionStrategy
}

/** Where decisions come from: the same questions about the same policies have the same answer. */
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
  /** What all questions have in common. */
  readonly #source: string

  constructor(amService: AmService, source: DecisionSource, settings: DecisionCacheSettings, env: Environment) {
    this.#settings = settings
    this.#env = env
    this.#fallbackTtl = new FallbackTtl(
      amService,
      {
        configured: settings.maximumTimeToCache ?? settings.defaultTimeout,
        fallback: FALLBACK_TTL,
        field: settings.maximumTimeToCache === null ? 'cache.defaultTimeout' : 'cache.maximumTimeToCache',
        accepted: 'ended sessions and withdrawn permissions',
      },
      env,
    )
    const realm = normalRealm(source.realm)
    this.#source = JSON.stringify([realm, source.application])
    // Which policy set is asked where none is named, is the access manager's affair: notifications about any may concern it.
    const set = source.application === null ? anySetTag(realm) : setTag(realm, source.application)
    this.#policyTags = [set, realmTag(realm)]
    const { notifications } = amService
    if (notifications === null)
      env.warn('the notifications of amService are disabled: changed policies show when cached decisions end')
    this.#cache = new RevocableCache({
      maximumSize: settings.maximumSize,
      clock: env.clock,
      metrics: cacheMetrics('policy-decision', env),
      invalidation: notifications === null ? null : { notifications, strategy: settings.strategy, tagsOf },
    })
    env.onDispose(() => this.#cache.dispose())
    env.onDispose(settings.executor.repeat(SWEEP_INTERVAL, () => this.#cache.sweep()))
  }

  /** The decision about a question, asked for where it is not known; other names of the session are asked for then too. */
  find(
    question: Question,
    sessionNames: () => readonly string[],
    ask: () => Promise<Decision | SubjectRefused>,
  ): Decision | SubjectRefused | Unavailable | Promise<Decision | SubjectRefused | Unavailable> {
    const key = hash('sha256', this.#source + textOfQuestion(question), 'base64url')
    return this.#cache.get(key, async () => this.#answer(await ask(), question.subject, sessionNames()))
  }

  /** A decision that is never cached. */
  pass(ask: () => Promise<Decision | SubjectRefused>): Promise<Decision | SubjectRefused | Unavailable> {
    return this.#cache.bypass(ask)
  }

  async #answer(
    decision: Decision | SubjectRefused,
    { ssoToken }: Subject,
    sessionNames: readonly string[],
  ): Promise<Answer<Decision | SubjectRefused>> {
    const token = ssoToken === undefined ? [] : [tokenDigest(ssoToken), ...sessionNames]
    const tags = [...this.#policyTags, ...token]
    // A subject that is not taken is not asked about again at once: who makes them up costs the access manager little.
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

/** What a notification may be about: a policy set, all of a realm where it names none, or a session that has ended. */
function tagsOf(notification: Notification): readonly string[] | 'everything' {
  const { topic, body } = notification
  if (!topic.startsWith('/agent/policy')) return sessionTags(notification)
  const { realm, policySet } = body
  if (typeof realm !== 'string' || realm === '') return 'everything'
  const normal = normalRealm(realm)
  if (typeof policySet !== 'string' || policySet === '') return [realmTag(normal)]
  return [setTag(normal, policySet), anySetTag(normal)]
}

// Servers compare these names without regard to case; invalidating one decision too many does no harm.
const setTag = (realm: string, policySet: string) => policiesOf('set', realm, policySet)
const anySetTag = (realm: string) => policiesOf('any set', realm)
const realmTag = (realm: string) => policiesOf('realm', realm)
const policiesOf = (...names: readonly string[]) => `policies of ${JSON.stringify(names).toLowerCase()}`
