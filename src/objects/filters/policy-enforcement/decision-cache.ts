import { hash } from 'node:crypto'
import { normalRealm } from '#access-manager'
import type { AmService, Executor, Notification } from '#contracts'
import type { Environment } from '#schema'
import { cacheCounters } from '../../lib/revocable-cache/cache-counters.ts'
import {
  type Answer,
  type DisconnectionStrategy,
  type NotAsked,
  RevocableCache,
} from '../../lib/revocable-cache/revocable-cache.ts'
import { sessionMarks, tokenDigest } from '../../lib/session-marks.ts'
import { type Decision, SubjectRefused } from './ask-decision.ts'
import { type Question, type Subject, textOfQuestion } from './policy-question.ts'

/** The policy set that is asked where none is named. */
const DEFAULT_SET = 'iPlanetAMWebAgentService'
const SWEEP_INTERVAL = 10_000

/** How long decisions are kept. */
export interface DecisionCacheSettings {
  readonly defaultTimeout: number
  readonly maximumTimeToCache: number
  readonly maximumSize: number
  readonly executor: Executor
  readonly strategy: DisconnectionStrategy
}

/** Where decisions come from: the same questions about the same policies have the same answer. */
export interface DecisionSource {
  readonly realm: string
  readonly application: string | null
}

/** Decisions that were made, until they end or a policy or session behind them changes. Those with advices are not kept. */
export class DecisionCache {
  readonly #cache: RevocableCache<Decision | SubjectRefused>
  readonly #settings: DecisionCacheSettings
  readonly #env: Environment
  readonly #policyMarks: readonly string[]
  /** What all questions have in common. */
  readonly #source: string

  constructor(amService: AmService, source: DecisionSource, settings: DecisionCacheSettings, env: Environment) {
    this.#settings = settings
    this.#env = env
    const realm = normalRealm(source.realm)
    this.#source = JSON.stringify([realm, source.application])
    this.#policyMarks = [setMark(realm, source.application ?? DEFAULT_SET), realmMark(realm)]
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

  #answer(
    decision: Decision | SubjectRefused,
    { ssoToken }: Subject,
    sessionNames: readonly string[],
  ): Answer<Decision | SubjectRefused> {
    const token = ssoToken === undefined ? [] : [tokenDigest(ssoToken), ...sessionNames]
    const marks = [...this.#policyMarks, ...token]
    return { value: decision, keepFor: this.#keepFor(decision), marks }
  }

  #keepFor(decision: Decision | SubjectRefused): number {
    if (decision instanceof SubjectRefused || Object.keys(decision.context.advices).length > 0) return 0
    const { defaultTimeout, maximumTimeToCache } = this.#settings
    const left = decision.ttl === null ? defaultTimeout : decision.ttl - this.#env.clock.now()
    return Math.min(left, maximumTimeToCache)
  }
}

/** What a notification may be about: a policy set, all of a realm where it names none, or a session that has ended. */
function marksOf(notification: Notification): readonly string[] | 'everything' {
  const { topic, body } = notification
  if (!topic.startsWith('/agent/policy')) return sessionMarks(notification)
  const { realm, policySet } = body
  if (typeof realm !== 'string') return 'everything'
  return [typeof policySet === 'string' ? setMark(normalRealm(realm), policySet) : realmMark(normalRealm(realm))]
}

const setMark = (realm: string, policySet: string) => `policies of ${JSON.stringify([realm, policySet])}`
const realmMark = (realm: string) => `policies of ${JSON.stringify([realm])}`
