import type { Clock } from '#schema'

/** Time after a failed connection to an origin in which other routes do not wait for it. */
const MEMORY = 60_000
const MOST_ORIGINS = 1_000

/** Origins that failed while a route was deployed in this thread, with the time. */
const failed = new Map<string, number>()

/** Whether a connection to this origin failed recently: a hundred routes of one server must not wait one after the other. */
export function failedRecently(origin: string, clock: Clock): boolean {
  const at = failed.get(origin)
  return at !== undefined && Math.abs(clock.now() - at) < MEMORY
}

/** Records a failed connection to an origin. */
export function recordFailure(origin: string, clock: Clock): void {
  failed.delete(origin)
  failed.set(origin, clock.now())
  if (failed.size > MOST_ORIGINS) for (const oldest of failed.keys()) return void failed.delete(oldest)
}
