import { type ContextKey, contextKey } from '#http'

/** An error for which the gateway makes the response. */
export interface GatewayError {
  readonly status: number
  readonly reason: string
  /** What the gateway says beside the status; null where that is all. */
  readonly detail: string | null
  readonly transactionId: string
}

/** The context `error`, for the handler in `errors` of admin.json. */
export const GatewayErrorContext: ContextKey<GatewayError> = contextKey<GatewayError>('error')
