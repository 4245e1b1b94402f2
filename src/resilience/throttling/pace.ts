import type { ThrottlingDecision, ThrottlingRate } from '#contracts'

/** How finely time is divided, at least, in ticks for each millisecond. */
const FINENESS = 4_096

/**
 * A rate in ticks. Ticks are cut so that one request costs a whole number of them: however many requests are counted,
 * nothing is ever rounded. A bucket is one number, the time when it will be full again; it admits a request if that
 * moves this time no further ahead than the duration, which is a token bucket that fills evenly.
 */
export interface Pace {
  /** Ticks for each millisecond. */
  readonly ticks: number
  /** Ticks of one request. */
  readonly cost: number
  /** Ticks of all requests. */
  readonly capacity: number
}

/** Cuts the time for a rate. */
export function paceOf({ numberOfRequests, duration }: ThrottlingRate): Pace {
  const cost = Math.ceil((FINENESS * duration) / numberOfRequests)
  const capacity = numberOfRequests * cost
  return { ticks: capacity / duration, cost, capacity }
}

/** A request that was admitted: the bucket is full again so many ticks from now. */
export function admitted({ ticks, cost, capacity }: Pace, ahead: number): ThrottlingDecision {
  const left = capacity - ahead
  const remaining = Math.floor(left / cost)
  return { admitted: true, remaining, nextAfter: ((remaining + 1) * cost - left) / ticks }
}

/** A request that was refused; admitted, it would have made the bucket full so many ticks from now. */
export function refused({ ticks, capacity }: Pace, ahead: number): ThrottlingDecision {
  return { admitted: false, remaining: 0, nextAfter: (ahead - capacity) / ticks }
}
