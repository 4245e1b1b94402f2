import type { ThrottlingDecision, ThrottlingRate } from '#contracts'

/** Minimum of ticks per millisecond. */
const MIN_TICKS = 4_096

/**
 * A rate of the generic cell rate algorithm, in ticks. One request costs a whole number of ticks, so that nothing is
 * rounded. A bucket is one number, the time at which it is full again; a request is admitted if it moves this time no further
 * ahead than the duration, which is a token bucket that fills evenly.
 */
export interface GcraRate {
  /** Per millisecond. */
  readonly ticks: number
  /** Ticks of one request. */
  readonly cost: number
  /** Ticks of `numberOfRequests` requests. */
  readonly capacity: number
}

export function gcraRate({ numberOfRequests, duration }: ThrottlingRate): GcraRate {
  const cost = Math.ceil((MIN_TICKS * duration) / numberOfRequests)
  const capacity = numberOfRequests * cost
  return { ticks: capacity / duration, cost, capacity }
}

/** `ahead`: ticks until the bucket is full again. */
export function admitted({ ticks, cost, capacity }: GcraRate, ahead: number): ThrottlingDecision {
  const left = capacity - ahead
  const remaining = Math.floor(left / cost)
  return { admitted: true, remaining, nextAfter: ((remaining + 1) * cost - left) / ticks }
}

/** `ahead`: ticks until the bucket would be full again, had the request been admitted. */
export function refused({ ticks, capacity }: GcraRate, ahead: number): ThrottlingDecision {
  return { admitted: false, remaining: 0, nextAfter: (ahead - capacity) / ticks }
}
