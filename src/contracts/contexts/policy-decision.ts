import { type ContextKey, contextKey } from '#http'

type Values = Readonly<Record<string, readonly string[]>>

/** What the access manager has decided about a request. */
export interface PolicyDecision {
  readonly resource: string
  /** Whether each action, a method of HTTP, is allowed. */
  readonly actions: Readonly<Record<string, boolean>>
  readonly attributes: Values
  /** What would help where the answer was no. */
  readonly advices: Values
  /** The same again, under the names of scripts of other gateways. */
  readonly jsonActions: Readonly<Record<string, boolean>>
  readonly jsonAttributes: Values
  readonly jsonAdvices: Values
}

/** The context `policyDecision`. */
export const PolicyDecisionContext: ContextKey<PolicyDecision> = contextKey<PolicyDecision>('policyDecision')
