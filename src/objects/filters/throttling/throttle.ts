import type { ThrottlingDecision, ThrottlingPolicy, ThrottlingRate } from '#contracts'
import { type Filter, type Response, respond } from '#http'
import type { Counter, Environment, Runtime } from '#schema'
import { recordDenied, recordFailed } from '../../lib/audit/decisions.ts'
import { rateProblem } from '../../lib/limits/rate-fields.ts'
import type { Count } from './counting.ts'

interface Throttling {
  readonly partitionOf: Runtime<string>
  readonly policy: ThrottlingPolicy
  readonly count: Count
  /** Whether responses have `RateLimit` headers. */
  readonly tellsRemaining: boolean
  readonly admitted: Counter
  readonly refused: Counter
  readonly env: Pick<Environment, 'name'>
}

/** Retry-After in seconds where a required store is unavailable. */
const STORE_RETRY = '1'

/** Passes a request on if its partition is within the rate (spec, ThrottlingFilter). */
export function throttle(throttling: Throttling): Filter {
  const { partitionOf, policy, count, tellsRemaining, admitted, refused, env } = throttling
  return async (exchange, next) => {
    const asked = partitionOf(exchange)
    const partition = asked instanceof Promise ? await asked : asked
    if (partition === null) throw new TypeError('expected requestGroupingPolicy to return a string, got null')
    const chosen = policy.rateFor(exchange)
    const rate = chosen instanceof Promise ? await chosen : chosen
    if (rate === null) return next(exchange)
    const problem = rateProblem(rate)
    if (problem !== null) throw new RangeError(problem)
    const counted = count(partition, rate)
    const decision = counted instanceof Promise ? await counted : counted
    if (decision === null) {
      recordFailed(exchange, env, 'the throttling store is unavailable')
      return respond(503, { 'Retry-After': STORE_RETRY })
    }
    if (!decision.admitted) {
      refused.add()
      recordDenied(
        exchange,
        env,
        'the rate of the partition is exceeded',
        `${rate.numberOfRequests} in ${rate.duration} ms`,
      )
      const response = respond(429, { 'Retry-After': `${wholeSeconds(decision.nextAfter)}` })
      if (tellsRemaining) addRateLimit(response, rate, decision)
      return response
    }
    admitted.add()
    if (!tellsRemaining) return next(exchange)
    const response = await next(exchange)
    addRateLimit(response, rate, decision)
    return response
  }
}

/** Rounded up, and never 0, which would mean an immediate retry. */
function wholeSeconds(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / 1_000))
}

/**
 * draft-ietf-httpapi-ratelimit-headers-11, sections 3 and 4. `t` is the time for which the remaining quota is valid, so that Retry-After
 * is never shorter (section 6). Added to the limits of later filters and upstreams.
 */
function addRateLimit({ headers }: Response, rate: ThrottlingRate, { remaining, nextAfter }: ThrottlingDecision): void {
  const name = unusedName(headers.all('RateLimit-Policy').join())
  headers.add('RateLimit-Policy', `"${name}";q=${rate.numberOfRequests};w=${wholeSeconds(rate.duration)}`)
  headers.add('RateLimit', `"${name}";r=${remaining};t=${wholeSeconds(nextAfter)}`)
}

/** A policy name that differs from existing ones. */
function unusedName(policies: string): string {
  if (!policies.includes('"gateway"')) return 'gateway'
  for (let number = 2; ; number++) if (!policies.includes(`"gateway-${number}"`)) return `gateway-${number}`
}
