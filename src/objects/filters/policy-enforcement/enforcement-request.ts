import type { Unavailable } from '#cache'
import { type AmService, type PolicyDecision, PolicyDecisionContext, type ResourceUriProvider } from '#contracts'
import type { Exchange, Handler } from '#http'
import type { Logger } from '#logging'
import type { Assign, Clock } from '#schema'
import type { FollowedAdvice } from '../../lib/am/advice-marker.ts'
import type { FlowState } from '../lib/flow.ts'
import type { DecisionCache } from './decision-cache.ts'
import type { Decision, SubjectRefused } from './evaluate-policies.ts'
import { type EvaluationSources, NoSubject, type Subject } from './evaluation-request.ts'

/** Settings of a policy enforcement filter. */
export interface EnforcementSettings {
  readonly amService: AmService
  readonly realm: string
  readonly application: string | null
  readonly cache: DecisionCache | null
  readonly sources: EvaluationSources
  readonly failureHandler: Handler | null
  readonly resource: ResourceUriProvider
  readonly adviceHeaderName: string
  /** Target for a copy of the decision, of older configurations. */
  readonly target: Assign | null
  readonly legacyAdvices: boolean
  readonly logger: Logger
  readonly clock: Clock
}

/** One request to the filter. */
export class EnforcementRequest implements FlowState {
  readonly exchange: Exchange
  readonly next: Handler
  readonly settings: EnforcementSettings
  /** The advice redirect from which the browser returns. */
  followed: FollowedAdvice | null = null
  transaction: string | null = null
  subject: Subject | NoSubject = new NoSubject('')
  environment: Readonly<Record<string, readonly string[]>> | null = null
  resource = ''
  found: Decision | SubjectRefused | Unavailable | null = null
  isAllowed = false
  /** Whether the decision was cached. */
  isCached = false

  constructor(exchange: Exchange, next: Handler, settings: EnforcementSettings) {
    this.exchange = exchange
    this.next = next
    this.settings = settings
  }

  get logger(): Logger {
    return this.settings.logger
  }

  get decision(): PolicyDecision {
    return (this.found as Decision).context
  }

  get exchangeWithDecision(): Exchange {
    return this.exchange.with(PolicyDecisionContext, this.decision)
  }
}
