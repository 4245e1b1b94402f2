import { type ContextKey, contextKey } from '#http'

/** The interaction id of a request, by FapiInteractionIdFilter. */
export interface InteractionId {
  /** The value of `x-fapi-interaction-id`. */
  readonly fapiInteractionId: string
}

/** The context `interactionIdFapiContext`. */
export const InteractionIdContext: ContextKey<InteractionId> = contextKey<InteractionId>('interactionIdFapiContext')
