import {
  AccessManagerError,
  type AmService,
  LoginWayContext,
  type PolicyDecision,
  PolicyDecisionContext,
  type ResourceUriProvider,
  SsoTokenContext,
} from '#contracts'
import { type Exchange, equalsIgnoreCase, type Filter, type Handler, type Response, respond } from '#http'
import type { JsonObject } from '#json'
import type { Logger } from '#logging'
import { NotAsked } from '../../lib/revocable-cache/revocable-cache.ts'
import { adviceHeader, adviceRedirect, canBeFollowed } from './advice-response.ts'
import { askDecision, type Decision, SubjectRefused } from './ask-decision.ts'
import type { DecisionCache } from './decision-cache.ts'
import {
  checkedQuestion,
  environmentOf,
  NoSubject,
  type QuestionSources,
  type Subject,
  subjectOf,
} from './policy-question.ts'
import { takeTransaction } from './transaction.ts'

/** What enforcing needs to know. */
export interface EnforcementSettings {
  readonly amService: AmService
  readonly realm: string
  readonly application: string | null
  readonly cache: DecisionCache | null
  readonly sources: QuestionSources
  readonly failureHandler: Handler | null
  readonly resource: ResourceUriProvider
  readonly adviceHeaderName: string
  readonly legacyAdvices: boolean
  readonly logger: Logger
}

/** Lets requests pass that the access manager allows; nothing that fails on the way to its answer is a permission. */
export class Enforcement {
  readonly #settings: EnforcementSettings

  constructor(settings: EnforcementSettings) {
    this.#settings = settings
  }

  readonly filter: Filter = async (exchange, next) => {
    const transaction = takeTransaction(exchange.request.uri)
    const decision = await this.#decide(exchange, transaction).catch((error: unknown) =>
      this.#undecided(error, exchange),
    )
    if (decision instanceof Undecided) return decision.response
    if (decision instanceof Denied) return this.#denied(exchange, decision.reason)
    const allowed =
      Object.hasOwn(decision.actions, exchange.request.method) && decision.actions[exchange.request.method] === true
    const inside = exchange.with(PolicyDecisionContext, contextOf(decision))
    return allowed ? next(inside) : this.#advised(inside, decision)
  }

  async #decide(exchange: Exchange, transaction: string | null): Promise<Decision | Denied | Undecided> {
    const { amService, realm, application, sources, resource: provider, cache } = this.#settings
    const subject = await subjectOf(sources, exchange)
    if (subject instanceof NoSubject) return new Denied(subject.reason)
    const given = await environmentOf(sources.environment, exchange)
    const environment = transaction === null ? given : { ...given, TxId: [transaction] }
    const resource = await provider.resourceUri(exchange)
    const question = {
      resources: [resource],
      ...(application === null ? {} : { application }),
      subject,
      ...(environment === null ? {} : { environment }),
    } as unknown as JsonObject
    const text = checkedQuestion(question)
    const ask = () => askDecision(amService, realm, question, resource, exchange)
    // What a transaction opens, it opens once.
    const found = await (cache === null || transaction !== null
      ? ask()
      : cache.find(text, subject, sessionNames(exchange, subject), ask))
    if (found instanceof NotAsked) return new Undecided(unavailable(found.reason))
    if (found instanceof SubjectRefused)
      return new Denied(`the access manager does not take the subject (${found.status})`)
    return found
  }

  #undecided(error: unknown, exchange: Exchange): Undecided {
    if (!(error instanceof AccessManagerError)) throw error
    this.#settings.logger.error(
      { error, transactionId: exchange.transactionId.value },
      'no policy decision could be had',
    )
    return new Undecided(
      error.reason === 'unavailable' || error.reason === 'refused' ? unavailable(error.message) : respond(500),
    )
  }

  /** The answer to a decision that allows nothing: the way to get in where there is one. */
  async #advised(exchange: Exchange, { advices }: Decision): Promise<Response> {
    const { amService, adviceHeaderName, legacyAdvices } = this.#settings
    const way = exchange.context(LoginWayContext)
    if (way === null || !canBeFollowed(advices)) return this.#denied(exchange, 'the policy decision allows it not')
    const wanted = exchange.request.headers.get(adviceHeaderName)
    if (wanted !== null && equalsIgnoreCase(wanted, 'HEADER')) return adviceHeader(amService, advices)
    const { adviceEncoding } = await amService.dialect()
    return adviceRedirect(exchange, way, advices, legacyAdvices ? 'xml' : adviceEncoding)
  }

  #denied(exchange: Exchange, reason: string): Promise<Response> {
    const { failureHandler, logger } = this.#settings
    logger.debug({ reason, transactionId: exchange.transactionId.value }, 'a request was denied')
    return failureHandler === null ? Promise.resolve(respond(403)) : failureHandler(exchange)
  }
}

/** A request that gets nothing, and why. */
class Denied {
  readonly reason: string

  constructor(reason: string) {
    this.reason = reason
  }
}

/** A request about which nobody could say anything. */
class Undecided {
  readonly response: Response

  constructor(response: Response) {
    this.response = response
  }
}

function unavailable(reason: string): Response {
  return respond(503, { 'Retry-After': '5', 'Cache-Control': 'no-store' }, `No policy decision: ${reason}.\n`)
}

/** Other names of the session that news may use. */
function sessionNames(exchange: Exchange, { ssoToken }: Subject): readonly string[] {
  const known = exchange.context(SsoTokenContext)
  if (known === null || known.value !== ssoToken) return []
  const { sessionUid, AMCtxId } = known.info
  return [known.universalId, sessionUid, AMCtxId].filter((name) => typeof name === 'string')
}

function contextOf({ ttl: _, ...decision }: Decision): PolicyDecision {
  return decision
}
