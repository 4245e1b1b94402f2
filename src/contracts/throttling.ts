import type { Exchange } from '#http'
import { kind } from '#schema'

/** Permitted requests in a duration. */
export interface ThrottlingRate {
  readonly numberOfRequests: number
  /** Milliseconds. */
  readonly duration: number
}

/** Chooses the rate for a request. */
export interface ThrottlingPolicy {
  /** Null where the request is not throttled. */
  rateFor(exchange: Exchange): ThrottlingRate | null | Promise<ThrottlingRate | null>
}

export const ThrottlingPolicyKind = kind<ThrottlingPolicy>('ThrottlingPolicy')

export interface ThrottlingDecision {
  readonly admitted: boolean
  /** Requests that would be admitted now. */
  readonly remaining: number
  /** Milliseconds until the next request would be admitted. */
  readonly nextAfter: number
}

/** Counts requests across several gateways. */
export interface ThrottlingStore {
  /** Consumes one request of a partition of a filter at a rate. Rejects where the store is unavailable. */
  take(filter: string, partition: string, rate: ThrottlingRate): Promise<ThrottlingDecision>
}

export const ThrottlingStoreKind = kind<ThrottlingStore>('ThrottlingStore')
