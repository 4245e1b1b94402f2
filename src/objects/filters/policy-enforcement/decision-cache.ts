import { hash } from 'node:crypto'
import { normalRealm } from '#access-manager'
import { type Answer, cacheCounters, type DisconnectionStrategy, type NotAsked, RevocableCache } from '#cache'
import type { AmService, Executor, Notification } from '#contracts'
import type { Environment } from '#schema'
import { AnswerAge } from '../../lib/answer-age.ts'
import { sessionMarks, tokenDigest } from '../../lib/session-marks.ts'
import { type Decision, SubjectRefused } from './ask-decision.ts'
import { type Question, type Subject, textOfQuestion } from './policy-question.ts'

const SWEEP_INTERVAL = 10_000
/** How long a decision without `ttl` is kept where nobody says. */
const DEFAULT_TIMEOUT = 60_000
/** How long a decision is believed in where notifications of changes may get lost. */
const SHORT_TIME = 30_000

/** How long decisions are kept; null where the configuration does not say. */
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

/** Decisions that were made, until they end or a policy or session behind them changes. Those with advices are not kept. */
export class DecisionCache {
  readonly #cache: RevocableCache<Decision | SubjectRefused>
  readonly #settings: DecisionCacheSettings
  readonly #env: Environment
  readonly #age: AnswerAge
  readonly #policyMarks: readonly string[]
  /** What all questions have in common. */
  readonly #source: string

  constructor(amService: AmService, source: DecisionSource, settings: DecisionCacheSettings, env: Environment) {
    this.#settings = settings
    this.#env = env
    this.#age = new AnswerAge(
      amService,
      {
        configured: settings.maximumTimeToCache ?? settings.defaultTimeout,
        short: SHORT_TIME,
        field: settings.maximumTimeToCache === null ? 'cache.defaultTimeout' : 'cache.maximumTimeToCache',
        accepted: 'ended sessions and withdrawn permissions',
      },
      env,
    )
    const realm = normalRealm(source.realm)
    this.#source = JSON.stringify([realm, source.application])
    // Which policy set is asked where none is named, is the access manager's affair: news of any may be about it.
    const set = source.application === null ? anySetMark(realm) : setMark(realm, source.application)
    this.#policyMarks = [set, realmMark(realm)]
    const { notifications } = amService
    if (notifications === null)
      env.warn('the notifications of amService are disabled: changed policies show when cached decisions end')
    this.#cache = new RevocableCache({
      maximumSize: settings.maximumSize,
      clock: env.clock,
      counters: cacheCounters('policy-decision', env),
      news: notifications === null ? null : { notifications, strategy: settings.strategy, marksOf },
    })
    env.onDispose(() => this.#cache.dispose())
    env.onDispose(settings.executor.repeat(SWEEP_INTERVAL, () => this.#cache.sweep()))
  }

  /** The decision about a question, asked for where it is not known; other names of the session are asked for then too. */
  find(
    question: Question,
    sessionNames: () => readonly string[],
    ask: () => Promise<Decision | SubjectRefused>,
  ): Decision | SubjectRefused | NotAsked | Promise<Decision | SubjectRefused | NotAsked> {
    const key = hash('sha256', this.#source + textOfQuestion(question), 'base64url')
    return this.#cache.find(key, async () => this.#answer(await ask(), question.subject, sessionNames()))
  }

  /** The decision about a question that is asked anew each time. */
  pass(ask: () => Promise<Decision | SubjectRefused>): Promise<Decision | SubjectRefused | NotAsked> {
    return this.#cache.pass(ask)
  }

  async #answer(
    decision: Decision | SubjectRefused,
    { ssoToken }: Subject,
    sessionNames: readonly string[],
  ): Promise<Answer<Decision | SubjectRefused>> {
    const token = ssoToken === undefined ? [] : [tokenDigest(ssoToken), ...sessionNames]
    const marks = [...this.#policyMarks, ...token]
    // A subject that is not taken is not asked about again at once: who makes them up costs the access manager little.
    if (decision instanceof SubjectRefused) return { value: decision, keepFor: 0, marks, negative: true }
    return { value: decision, keepFor: await this.#keepFor(decision), marks }
  }

  async #keepFor(decision: Decision): Promise<number> {
    if (Object.keys(decision.context.advices).length > 0) return 0
    const { defaultTimeout, maximumTimeToCache } = this.#settings
    const limit = Math.min(maximumTimeToCache ?? Number.POSITIVE_INFINITY, await this.#age.limit())
    const left = decision.ttl === null ? (defaultTimeout ?? DEFAULT_TIMEOUT) : decision.ttl - this.#env.clock.now()
    return Math.min(left, limit)
  }
}

/** What a notification may be about: a policy set, all of a realm where it names none, or a session that has ended. */
function marksOf(notification: Notification): readonly string[] | 'everything' {
  const { topic, body } = notification
  if (!topic.startsWith('/agent/policy')) return sessionMarks(notification)
  const { realm, policySet } = body
  if (typeof realm !== 'string' || realm === '') return 'everything'
  const normal = normalRealm(realm)
  if (typeof policySet !== 'string' || policySet === '') return [realmMark(normal)]
  return [setMark(normal, policySet), anySetMark(normal)]
}

// Servers compare these names without regard to case; to forget a decision too many does no harm.
const setMark = (realm: string, policySet: string) => policiesOf('set', realm, policySet)
const anySetMark = (realm: string) => policiesOf('any set', realm)
const realmMark = (realm: string) => policiesOf('realm', realm)
const policiesOf = (...names: readonly string[]) => `policies of ${JSON.stringify(names).toLowerCase()}`
