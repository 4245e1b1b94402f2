import type { ThrottlingRate } from '#contracts'
import { config, duration, integer, object } from '#schema'

const MAX_REQUESTS = 2 ** 31 - 1
const MAX_DAYS = 3_650
/** More than a gateway can serve, and within the time resolution of buckets. */
const MAX_PER_MILLISECOND = 4_096

/** A rate: number of requests and duration. */
export const rateField = () =>
  object({
    numberOfRequests: config(integer({ min: 1, max: MAX_REQUESTS })).meta({
      description: 'Maximum number of requests within `duration`.',
    }),
    duration: config(duration({ zero: false, unlimited: false, min: '1 ms', max: `${MAX_DAYS} days` })).meta({
      description: 'Duration over which requests are counted.',
    }),
  })

/** Why a rate is invalid, or null. Also validates rates that scripts return. */
export function rateProblem({ numberOfRequests, duration }: ThrottlingRate): string | null {
  if (!Number.isSafeInteger(numberOfRequests) || numberOfRequests < 1) {
    return `expected a rate of at least 1 request, got ${numberOfRequests}`
  }
  if (!(duration >= 1)) return `expected a rate with a duration of at least 1 ms, got ${duration}`
  if (numberOfRequests > duration * MAX_PER_MILLISECOND) {
    return `expected at most ${MAX_PER_MILLISECOND} requests for each millisecond, got ${numberOfRequests} in ${duration} ms`
  }
  if (numberOfRequests > MAX_REQUESTS) return `expected at most ${MAX_REQUESTS} requests, got ${numberOfRequests}`
  if (duration > MAX_DAYS * 86_400_000) return `expected a duration of at most ${MAX_DAYS} days, got ${duration} ms`
  return null
}

/** Reports an invalid rate. */
export function checkRate(
  rate: ThrottlingRate | undefined,
  path: string,
  report: (path: string, message: string) => void,
): void {
  const problem = rate === undefined ? null : rateProblem(rate)
  if (problem !== null) report(`${path}/numberOfRequests`, problem)
}
