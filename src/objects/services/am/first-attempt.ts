import type { Clock } from '#schema'

/** How long an origin that could not be connected to is not waited for by the next route. */
const MEMORY = 60_000
const MOST_ORIGINS = 1_000

/** Origins of this thread that failed while a route was deployed, with the time of it. */
const failed = new Map<string, number>()

/** Whether a wait for this origin was in vain a moment ago: a hundred routes of one server must not wait one by one. */
export function failedRecently(origin: string, clock: Clock): boolean {
  const at = failed.get(origin)
  return at !== undefined && Math.abs(clock.now() - at) < MEMORY
}

/** A wait for this origin was in vain. */
export function rememberFailure(origin: string, clock: Clock): void {
  failed.delete(origin)
  failed.set(origin, clock.now())
  if (failed.size > MOST_ORIGINS) for (const oldest of failed.keys()) return void failed.delete(oldest)
}
