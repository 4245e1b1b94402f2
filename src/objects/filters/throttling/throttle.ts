import type { ThrottlingDecision, ThrottlingPolicy, ThrottlingRate } from '#contracts'
import { type Filter, type Response, respond } from '#http'
import type { Counter, Runtime } from '#schema'
import { rateProblem } from '../../lib/rate-fields.ts'
import type { Count } from './counting.ts'

/** What throttling is made of. */
interface Throttling {
  readonly partitionOf: Runtime<string>
  readonly policy: ThrottlingPolicy
  readonly count: Count
  /** Whether responses say what is left. */
  readonly tellsRemaining: boolean
  readonly admitted: Counter
  readonly refused: Counter
}

/** Seconds after which it is worth to come back, where a store that is needed does not answer. */
const STORE_RETRY = '1'

/** Lets a request through if its partition has not had its share yet (spec, ThrottlingFilter). */
export function throttle(throttling: Throttling): Filter {
  const { partitionOf, policy, count, tellsRemaining, admitted, refused } = throttling
  return async (exchange, next) => {
    const asked = partitionOf(exchange)
    const partition = asked instanceof Promise ? await asked : asked
    if (partition === null) throw new TypeError('expected requestGroupingPolicy to give a string, got null')
    const chosen = policy.rateFor(exchange)
    const rate = chosen instanceof Promise ? await chosen : chosen
    if (rate === null) return next(exchange)
    const problem = rateProblem(rate)
    if (problem !== null) throw new RangeError(problem)
    const counted = count(partition, rate)
    const decision = counted instanceof Promise ? await counted : counted
    if (decision === null) return respond(503, { 'Retry-After': STORE_RETRY })
    if (!decision.admitted) {
      refused.add()
      const response = respond(429, { 'Retry-After': `${wholeSeconds(decision.nextAfter)}` })
      if (tellsRemaining) tell(response, rate, decision)
      return response
    }
    admitted.add()
    if (!tellsRemaining) return next(exchange)
    const response = await next(exchange)
    tell(response, rate, decision)
    return response
  }
}

/** Rounded up, and never 0: that would ask the client to come back at once. */
function wholeSeconds(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / 1_000))
}

/**
 * draft-ietf-httpapi-ratelimit-headers-11, sections 3 and 4. `t` is the time in which there is no more than what is left,
 * so that Retry-After never comes before its end (section 6). Limits of filters and servers behind are added to.
 */
function tell({ headers }: Response, rate: ThrottlingRate, { remaining, nextAfter }: ThrottlingDecision): void {
  const name = freeName(headers.all('RateLimit-Policy').join())
  headers.add('RateLimit-Policy', `"${name}";q=${rate.numberOfRequests};w=${wholeSeconds(rate.duration)}`)
  headers.add('RateLimit', `"${name}";r=${remaining};t=${wholeSeconds(nextAfter)}`)
}

/** A name by which clients tell this limit from those that are there already. */
function freeName(policies: string): string {
  if (!policies.includes('"gateway"')) return 'gateway'
  for (let number = 2; ; number++) if (!policies.includes(`"gateway-${number}"`)) return `gateway-${number}`
}
