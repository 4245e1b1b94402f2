import { NotAsked } from '#cache'
import {
  AccessManagerError,
  type AmService,
  CdssoContext,
  LoginWayContext,
  type PolicyDecision,
  PolicyDecisionContext,
  type ResourceUriProvider,
  SsoTokenContext,
} from '#contracts'
import { type Exchange, equalsIgnoreCase, type Filter, type Handler, type Response, respond } from '#http'
import type { Logger } from '#logging'
import type { Clock } from '#schema'
import { type Awaitable, then } from '../../lib/awaitable.ts'
import { addAdviceMarker, type FollowedAdvice, isRepeated, takeAdviceMarker } from '../../lib/policy/advice-marker.ts'
import { loggedResource } from '../../lib/policy/logged-resource.ts'
import { takeTransaction } from '../../lib/policy/transaction.ts'
import { tokenDigest } from '../../lib/session-marks.ts'
import { clearAddress } from '../../lib/sso/clear-address.ts'
import { adviceHeader, adviceRedirect, canBeFollowed } from './advice-response.ts'
import { askDecision, type Decision, SubjectRefused } from './ask-decision.ts'
import type { DecisionCache } from './decision-cache.ts'
import {
  bodyOfQuestion,
  environmentOf,
  NoSubject,
  type Question,
  type QuestionSources,
  type Subject,
  subjectOf,
} from './policy-question.ts'
import { isOfAdmittedRealm } from './subject-realm.ts'

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
  readonly clock: Clock
}

/** Lets requests pass that the access manager allows; nothing that fails on the way to its answer is a permission. */
export class Enforcement {
  readonly #settings: EnforcementSettings

  constructor(settings: EnforcementSettings) {
    this.#settings = settings
  }

  readonly filter: Filter = (exchange, next) => {
    try {
      const followed = takeAdviceMarker(exchange.request.uri)
      const decided = this.#decided(exchange)
      return Promise.resolve(then(decided, (decision) => this.#enforce(decision, exchange, next, followed)))
    } catch (error) {
      return Promise.reject(error)
    }
  }

  #enforce(
    decision: Decision | Denied | Undecided,
    exchange: Exchange,
    next: Handler,
    followed: FollowedAdvice | null,
  ): Awaitable<Response> {
    if (decision instanceof Undecided) return decision.response
    if (decision instanceof Denied) {
      // Not the policies say no: whoever runs the gateway is to see why.
      const { reason } = decision
      const fields = { reason, transactionId: exchange.transactionId.value }
      this.#settings.logger.limited(fields.transactionId).info(fields, 'a request was denied without a policy decision')
      return this.#denied(exchange, reason)
    }
    const { context } = decision
    const { method } = exchange.request
    const inside = exchange.with(PolicyDecisionContext, context)
    const allowed = Object.hasOwn(context.actions, method) && context.actions[method] === true
    if (!allowed) return this.#advised(inside, context, followed)
    const cleared = followed === null ? null : clearAddress(exchange, (uri) => takeAdviceMarker(uri) !== null)
    return cleared ?? next(inside)
  }

  /** The decision: at once where it is kept and nothing has to be read first. */
  #decided(exchange: Exchange): Awaitable<Decision | Denied | Undecided> {
    const transaction = takeTransaction(exchange.request.uri)
    try {
      const decision = this.#decide(exchange, transaction)
      if (!(decision instanceof Promise)) return decision
      return decision.catch((error: unknown) => this.#undecided(error, exchange))
    } catch (error) {
      return this.#undecided(error, exchange)
    }
  }

  #decide(exchange: Exchange, transaction: string | null): Awaitable<Decision | Denied | Undecided> {
    const { sources, resource: provider } = this.#settings
    return then(subjectOf(sources, exchange), (subject) => {
      if (subject instanceof NoSubject) return new Denied(subject.reason)
      return then(environmentOf(sources.environment, exchange), (environment) =>
        then(provider.resourceUri(exchange), (resource) =>
          then(this.#find({ resource, subject, environment }, transaction, exchange), outcomeOf),
        ),
      )
    })
  }

  #find(
    known: Question,
    transaction: string | null,
    exchange: Exchange,
  ): Awaitable<Decision | SubjectRefused | NotAsked> {
    const { cache, logger } = this.#settings
    // What a transaction opens, it opens once.
    const question =
      transaction === null ? known : { ...known, environment: { ...known.environment, TxId: [transaction] } }
    let isCached = true
    const ask = () => {
      isCached = false
      return this.#ask(question, exchange)
    }
    const found =
      cache === null
        ? ask()
        : transaction === null
          ? cache.find(question, () => sessionNames(exchange, known.subject), ask)
          : cache.pass(ask)
    if (!logger.isEnabled('debug')) return found
    return then(found, (outcome) => {
      this.#trace(question.resource, exchange, outcome, isCached)
      return outcome
    })
  }

  /** What was asked and answered: the place to look where policies do not do what they should. */
  #trace(resource: string, exchange: Exchange, found: Decision | SubjectRefused | NotAsked, cached: boolean): void {
    const { logger, realm, application } = this.#settings
    const fields = {
      resource: loggedResource(resource),
      method: exchange.request.method,
      realm,
      policySet: application,
      cached,
      transactionId: exchange.transactionId.value,
    }
    if (found instanceof SubjectRefused || found instanceof NotAsked) {
      logger.debug({ ...fields, reason: found.reason }, 'no policy decision')
      return
    }
    const { actions, advices } = found.context
    logger.debug({ ...fields, actions: { ...actions }, advices: { ...advices } }, 'policy decision')
  }

  async #ask(question: Question, exchange: Exchange): Promise<Decision | SubjectRefused> {
    const { amService, realm, application } = this.#settings
    const { ssoToken } = question.subject
    const [isAdmitted, decision] = await Promise.all([
      ssoToken === undefined || isOfAdmittedRealm(amService, exchange, ssoToken),
      askDecision(amService, realm, bodyOfQuestion(question, application), question.resource, exchange),
    ])
    return isAdmitted ? decision : new SubjectRefused('the subject has no session of a realm that counts here')
  }

  #undecided(error: unknown, exchange: Exchange): Undecided {
    if (!(error instanceof AccessManagerError)) throw error
    const fields = { error, transactionId: exchange.transactionId.value }
    const isAway = error.reason === 'unavailable' || error.reason === 'refused'
    const message = `policy decision unavailable: requests of this route get ${isAway ? 503 : 500}`
    this.#settings.logger.limited().error(fields, message)
    return new Undecided(isAway ? unavailable('the access manager can not be asked at the moment') : respond(500))
  }

  /** The answer to a decision that allows nothing: the way to get in where there is one. */
  async #advised(exchange: Exchange, { advices }: PolicyDecision, followed: FollowedAdvice | null): Promise<Response> {
    const { amService, adviceHeaderName, legacyAdvices, sources, clock } = this.#settings
    const way = exchange.context(LoginWayContext)
    if (way === null || !canBeFollowed(advices)) return this.#denied(exchange, 'the policy decision allows it not')
    const wanted = exchange.request.headers.get(adviceHeaderName)
    if (wanted !== null && equalsIgnoreCase(wanted, 'HEADER')) return adviceHeader(amService, advices)
    const { adviceEncoding } = await amService.dialect()
    const subject = (await subjectOf(sources, exchange)) as Subject
    if (isRepeated(followed, subject, advices, clock.now())) return this.#repeated(exchange, Object.keys(advices))
    const back = exchange.originalUri.clone()
    takeTransaction(back)
    takeAdviceMarker(back)
    way.stripMarker(back)
    // The id of a transaction is another one each time.
    if (advices['TransactionConditionAdvice'] === undefined) addAdviceMarker(back, subject, advices, clock.now())
    return adviceRedirect(way, back, advices, legacyAdvices ? 'xml' : adviceEncoding)
  }

  /** The login page sent the browser back without a login, or with one that the policy does not accept. */
  #repeated(exchange: Exchange, advices: readonly string[]): Promise<Response> {
    const { logger } = this.#settings
    const fields = { advices, transactionId: exchange.transactionId.value }
    logger
      .limited('advice')
      .warn(
        fields,
        'the browser came back from the login page with the same session, and the policy decision has the same advice: 403 instead of another redirect; check that the login page reads the advice and that the login it asks for exists',
      )
    return this.#denied(exchange, 'the advice was followed without effect', () =>
      respond(403, {}, repeatedText(advices)),
    )
  }

  #denied(exchange: Exchange, reason: string, otherwise = () => respond(403)): Promise<Response> {
    const { failureHandler, logger } = this.#settings
    logger.debug({ reason, transactionId: exchange.transactionId.value }, 'a request was denied')
    return failureHandler === null ? Promise.resolve(otherwise()) : failureHandler(exchange)
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

function outcomeOf(found: Decision | SubjectRefused | NotAsked): Decision | Denied | Undecided {
  if (found instanceof NotAsked) return new Undecided(unavailable(found.reason))
  if (found instanceof SubjectRefused) return new Denied(found.reason)
  return found
}

function repeatedText(advices: readonly string[]): string {
  return `The access manager asks for a further login (${advices.join(', ')}), and the login page has sent you back without one.\n`
}

function unavailable(reason: string): Response {
  return respond(503, { 'Retry-After': '5', 'Cache-Control': 'no-store' }, `No policy decision: ${reason}.\n`)
}

/** Other names of the session that news may use. */
function sessionNames(exchange: Exchange, { ssoToken }: Subject): readonly string[] {
  const known = exchange.context(SsoTokenContext)
  // The access manager takes the token of a login over domains in the place of the session token that is in it.
  const isSame = known !== null && (known.value === ssoToken || exchange.context(CdssoContext)?.token === ssoToken)
  if (!isSame) return []
  const { sessionUid, AMCtxId } = known.info
  const names = [known.universalId, sessionUid, AMCtxId].filter((name) => typeof name === 'string')
  return known.value === ssoToken ? names : [...names, tokenDigest(known.value)]
}
