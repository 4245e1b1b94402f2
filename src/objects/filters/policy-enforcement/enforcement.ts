import { Unavailable } from '#cache'
import { AccessManagerError, type LoginRedirect, LoginRedirectContext } from '#contracts'
import { type Exchange, equalsIgnoreCase, type Response, respond, respondUnavailable } from '#http'
import { addAdviceMarker, isRepeated, takeAdviceMarker } from '../../lib/am/advice-marker.ts'
import { removeTransactionId } from '../../lib/am/transaction.ts'
import { recordDenied, recordFailed, recordGranted } from '../../lib/audit/decisions.ts'
import { redirectWithoutMarker } from '../../lib/login/redirect-without-marker.ts'
import { accessManagerFailed } from '../lib/access-manager-failure.ts'
import { type Awaitable, then } from '../lib/awaitable.ts'
import { flow } from '../lib/flow.ts'
import { EVENTS } from '../log-events.ts'
import { adviceHeader, adviceRedirect, canBeFollowed } from './advice-response.ts'
import type { EnforcementRequest } from './enforcement-request.ts'
import { type Decision, SubjectRefused } from './evaluate-policies.ts'
import { environmentOf, NoSubject, type Subject, subjectOf } from './evaluation-request.ts'
import { findDecision } from './find-decision.ts'

/** Passes requests on that the access manager allows. Fails closed: an error is never a permission. */
export const enforcePolicies = flow<EnforcementRequest>(
  [
    { name: 'remove the parameters of redirects', prepare: removeParameters },
    { name: 'evaluate the subject', prepare: evaluateSubject },
    { name: 'deny a request without subject', when: hasNoSubject, answer: denyWithoutSubject },
    { name: 'evaluate the environment', prepare: evaluateEnvironment },
    { name: 'evaluate the resource', prepare: evaluateResource },
    { name: 'get the policy decision', prepare: getDecision },
    { name: 'refuse while no decision is available', when: isUnavailable, answer: refuseUnavailable },
    { name: 'deny a subject that the access manager refuses', when: isSubjectRefused, answer: denySubject },
    { name: 'assign the decision to the target', when: hasTarget, prepare: assignDecision },
    { name: 'deny what no login can change', when: isDeniedForGood, answer: denyByPolicy },
    { name: 'send the advices in a header', when: wantsAdviceHeader, answer: sendAdviceHeader },
    { name: 'stop a redirect loop', when: isAdviceLoop, answer: refuseLoop },
    { name: 'redirect to follow the advices', when: isDenied, answer: redirectToAdvice },
    { name: 'redirect to the URL without marker', when: isReturn, check: clearMarker },
    { name: 'pass the request on with the decision', answer: passOn },
  ],
  [{ name: 'access manager unavailable', of: AccessManagerError, when: isUndecided, answer: undecided }],
)

function removeParameters(state: EnforcementRequest): void {
  const { uri } = state.exchange.request
  state.followed = takeAdviceMarker(uri)
  state.transaction = removeTransactionId(uri)
}

function evaluateSubject(state: EnforcementRequest): Awaitable<void> {
  return then(subjectOf(state.settings.sources, state.exchange), (subject) => {
    state.subject = subject
  })
}

function hasNoSubject({ subject }: EnforcementRequest): boolean {
  return subject instanceof NoSubject
}

function denyWithoutSubject(state: EnforcementRequest): Awaitable<Response> {
  return denyWithoutDecision(state, (state.subject as NoSubject).reason)
}

function evaluateEnvironment(state: EnforcementRequest): Awaitable<void> {
  return then(environmentOf(state.settings.sources.environment, state.exchange), (environment) => {
    state.environment = environment
  })
}

function evaluateResource(state: EnforcementRequest): Awaitable<void> {
  return then(state.settings.resource.resourceUri(state.exchange), (resource) => {
    state.resource = resource
  })
}

function getDecision(state: EnforcementRequest): Awaitable<void> {
  const { resource, environment, transaction, exchange, settings } = state
  const evaluation = { resource, subject: state.subject as Subject, environment }
  state.isCached = true
  const onLookup = (): void => {
    state.isCached = false
  }
  return then(findDecision(evaluation, transaction, exchange, settings, onLookup), (found) => {
    state.found = found
    if (found instanceof Unavailable || found instanceof SubjectRefused) return
    const { actions } = found.context
    const { method } = exchange.request
    state.isAllowed = Object.hasOwn(actions, method) && actions[method] === true
  })
}

function isUnavailable({ found }: EnforcementRequest): boolean {
  return found instanceof Unavailable
}

function refuseUnavailable({ found, exchange, logger }: EnforcementRequest): Response {
  const { reason } = found as Unavailable
  recordFailed(exchange, logger, reason)
  return respondUnavailable(unavailableText(reason))
}

function isSubjectRefused({ found }: EnforcementRequest): boolean {
  return found instanceof SubjectRefused
}

function denySubject(state: EnforcementRequest): Awaitable<Response> {
  return denyWithoutDecision(state, (state.found as SubjectRefused).reason)
}

function hasTarget({ settings }: EnforcementRequest): boolean {
  return settings.target !== null
}

function assignDecision({ settings, exchange, decision }: EnforcementRequest): Awaitable<void> {
  const { attributes, advices } = decision
  return settings.target?.(exchange, null, { attributes, advices })
}

function isDenied({ isAllowed }: EnforcementRequest): boolean {
  return !isAllowed
}

function isDeniedForGood({ isAllowed, exchange, found }: EnforcementRequest): boolean {
  if (isAllowed) return false
  return exchange.context(LoginRedirectContext) === null || !canBeFollowed((found as Decision).context.advices)
}

function denyByPolicy(state: EnforcementRequest): Awaitable<Response> {
  return deny(state, state.exchangeWithDecision, 'denied by the policy decision')
}

function wantsAdviceHeader({ isAllowed, exchange, settings }: EnforcementRequest): boolean {
  if (isAllowed) return false
  const wanted = exchange.request.headers.get(settings.adviceHeaderName)
  return wanted !== null && equalsIgnoreCase(wanted, 'HEADER')
}

function sendAdviceHeader({ settings, decision }: EnforcementRequest): Response {
  return adviceHeader(settings.amService, decision.advices)
}

function isAdviceLoop({ isAllowed, followed, subject, found, settings }: EnforcementRequest): boolean {
  if (isAllowed) return false
  return isRepeated(followed, subject, (found as Decision).context.advices, settings.clock.now())
}

/** The login page redirected the browser back without a login, or with one that the policy does not accept. */
function refuseLoop(state: EnforcementRequest): Awaitable<Response> {
  const advices = Object.keys(state.decision.advices)
  const fields = { advices, ...state.exchange.ids }
  state.logger.limited('advice').warn(fields, EVENTS.ADVICE_REPEATED)
  const text = `The access manager demands a further login (${advices.join(', ')}), and the login page has redirected you back without one.\n`
  return deny(state, state.exchangeWithDecision, 'the advice was followed without effect', text)
}

async function redirectToAdvice({ exchange, settings, subject, decision }: EnforcementRequest): Promise<Response> {
  const { advices } = decision
  const login = exchange.context(LoginRedirectContext) as LoginRedirect
  const { adviceEncoding } = await settings.amService.dialect()
  const back = exchange.originalUri.clone()
  removeTransactionId(back)
  takeAdviceMarker(back)
  login.stripMarker(back)
  // The transaction id is different each time, so that its advice is never equal.
  if (advices['TransactionConditionAdvice'] === undefined) addAdviceMarker(back, subject, advices, settings.clock.now())
  return adviceRedirect(login, back, advices, settings.legacyAdvices ? 'xml' : adviceEncoding)
}

function isReturn({ followed }: EnforcementRequest): boolean {
  return followed !== null
}

function clearMarker({ exchange }: EnforcementRequest): Response | null {
  return redirectWithoutMarker(exchange, (uri) => takeAdviceMarker(uri) !== null)
}

function passOn(state: EnforcementRequest): Promise<Response> {
  recordGranted(state.exchange, state.logger, 'allowed by the policy decision', {
    ...(state.settings.application !== null && { policy: state.settings.application }),
    fromCache: state.isCached,
  })
  return state.next(state.exchangeWithDecision)
}

/** Logged at info level: the reason is the configuration or the session, not a policy. */
function denyWithoutDecision(state: EnforcementRequest, reason: string): Awaitable<Response> {
  const { exchange, logger } = state
  const fields = { reason, ...exchange.ids }
  logger.limited(fields.transactionId).info(fields, 'a request was denied without a policy decision')
  return deny(state, exchange, reason)
}

function deny(
  { settings }: EnforcementRequest,
  exchange: Exchange,
  reason: string,
  text?: string,
): Awaitable<Response> {
  const { failureHandler, logger } = settings
  logger.debug({ reason, ...exchange.ids }, 'a request was denied')
  recordDenied(exchange, logger, reason)
  return failureHandler === null ? respond(403, {}, text) : failureHandler(exchange)
}

function isUndecided(_: AccessManagerError, { found }: EnforcementRequest): boolean {
  return found === null
}

function undecided(error: AccessManagerError, state: EnforcementRequest): Response {
  const text = unavailableText('the access manager is unavailable')
  return accessManagerFailed(error, state, { event: EVENTS.DECISION_UNAVAILABLE, reason: null, text })
}

function unavailableText(reason: string): string {
  return `No policy decision: ${reason}.\n`
}
