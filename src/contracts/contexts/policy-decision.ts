import { type ContextKey, contextKey } from '#http'

type Values = Readonly<Record<string, readonly string[]>>

/** Policy decision of the access manager for a request. */
export interface PolicyDecision {
  readonly resource: string
  /** Whether each action, an HTTP method, is allowed. */
  readonly actions: Readonly<Record<string, boolean>>
  readonly attributes: Values
  /** Conditions that were not met, which a further login may fulfil. */
  readonly advices: Values
  /** The same values under the names that scripts of other gateways use. */
  readonly jsonActions: Readonly<Record<string, boolean>>
  readonly jsonAttributes: Values
  readonly jsonAdvices: Values
}

/** The context `policyDecision`. */
export const PolicyDecisionContext: ContextKey<PolicyDecision> = contextKey<PolicyDecision>('policyDecision')
