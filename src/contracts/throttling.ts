import type { Exchange } from '#http'
import { kind } from '#schema'

/** How many requests there may be, and in what time. */
export interface ThrottlingRate {
  readonly numberOfRequests: number
  /** Milliseconds. */
  readonly duration: number
}

/** Chooses the rate for a request. */
export interface ThrottlingPolicy {
  /** The rate; null where the request is not throttled. */
  rateFor(exchange: Exchange): ThrottlingRate | null | Promise<ThrottlingRate | null>
}

/** Objects that choose rates. */
export const ThrottlingPolicyKind = kind<ThrottlingPolicy>('ThrottlingPolicy')

/** What became of one request. */
export interface ThrottlingDecision {
  readonly admitted: boolean
  /** Requests that are left at once. */
  readonly remaining: number
  /** Milliseconds until one more is left. */
  readonly nextAfter: number
}

/** Counts requests for several gateways. */
export interface ThrottlingStore {
  /** Consumes one request of a partition of a filter at a rate. Rejects where the store is unavailable. */
  take(filter: string, partition: string, rate: ThrottlingRate): Promise<ThrottlingDecision>
}

/** Objects that count requests for several gateways. */
export const ThrottlingStoreKind = kind<ThrottlingStore>('ThrottlingStore')
