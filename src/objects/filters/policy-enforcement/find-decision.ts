import { Unavailable } from '#cache'
import { type AmService, CdssoContext, SsoTokenContext } from '#contracts'
import type { Exchange } from '#http'
import type { Logger } from '#logging'
import { tokenDigest } from '../../lib/am/session-tags.ts'
import { type Awaitable, then } from '../lib/awaitable.ts'
import type { DecisionCache } from './decision-cache.ts'
import { type Decision, evaluatePolicies, SubjectRefused } from './evaluate-policies.ts'
import { bodyOf, type EvaluationRequest, type Subject } from './evaluation-request.ts'
import { loggedResource } from './logged-resource.ts'
import { isOfAdmittedRealm } from './subject-realm.ts'

type Found = Decision | SubjectRefused | Unavailable

/** Settings of lookups. */
interface DecisionSettings {
  readonly amService: AmService
  readonly realm: string
  readonly application: string | null
  readonly cache: DecisionCache | null
  readonly logger: Logger
}

/** The decision from the cache, or from the access manager. A transaction is valid once, so its decision is not cached. */
export function findDecision(
  withoutTransaction: EvaluationRequest,
  transaction: string | null,
  exchange: Exchange,
  settings: DecisionSettings,
  onLookup: () => void,
): Awaitable<Found> {
  const { cache, logger } = settings
  const { subject, environment } = withoutTransaction
  const evaluation =
    transaction === null
      ? withoutTransaction
      : { ...withoutTransaction, environment: { ...environment, TxId: [transaction] } }
  let isCached = true
  const evaluate = () => {
    isCached = false
    onLookup()
    return requestDecision(evaluation, exchange, settings)
  }
  const found =
    cache === null
      ? evaluate()
      : transaction === null
        ? cache.find(evaluation, () => sessionNames(exchange, subject), evaluate)
        : cache.bypass(evaluate)
  if (!logger.isEnabled('debug')) return found
  return then(found, (outcome) => {
    trace(evaluation.resource, exchange, outcome, isCached, settings)
    return outcome
  })
}

async function requestDecision(
  evaluation: EvaluationRequest,
  exchange: Exchange,
  { amService, realm, application }: DecisionSettings,
): Promise<Decision | SubjectRefused> {
  const { ssoToken } = evaluation.subject
  const [isAdmitted, decision] = await Promise.all([
    ssoToken === undefined || isOfAdmittedRealm(amService, exchange, ssoToken),
    evaluatePolicies(amService, realm, bodyOf(evaluation, application), evaluation.resource, exchange),
  ])
  return isAdmitted ? decision : new SubjectRefused('the subject has no session of a realm that counts here')
}

function trace(
  resource: string,
  exchange: Exchange,
  found: Found,
  cached: boolean,
  { logger, realm, application }: DecisionSettings,
): void {
  const fields = {
    resource: loggedResource(resource),
    method: exchange.request.method,
    realm,
    policySet: application,
    cached,
    ...exchange.ids,
  }
  if (found instanceof SubjectRefused || found instanceof Unavailable) {
    logger.debug({ ...fields, reason: found.reason }, 'no policy decision')
    return
  }
  const { actions, advices } = found.context
  logger.debug({ ...fields, actions: { ...actions }, advices: { ...advices } }, 'policy decision')
}

/** Other names of the session that notifications may use. */
function sessionNames(exchange: Exchange, { ssoToken }: Subject): readonly string[] {
  const known = exchange.context(SsoTokenContext)
  // The access manager accepts the token of a cross-domain login in place of the session token inside.
  const isSame = known !== null && (known.value === ssoToken || exchange.context(CdssoContext)?.token === ssoToken)
  if (!isSame) return []
  const { sessionUid, AMCtxId } = known.info
  const names = [known.universalId, sessionUid, AMCtxId].filter((name) => typeof name === 'string')
  return known.value === ssoToken ? names : [...names, tokenDigest(known.value)]
}
