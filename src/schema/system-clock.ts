import type { Clock } from './environment.ts'

/** The longest delay of setTimeout and setInterval, in milliseconds; a longer one fires at once. */
export const MAX_TIMER_DELAY = 2 ** 31 - 1

/** The time of this machine. `process.hrtime` counts from one point for the whole process, `performance.now` may not. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => Number(process.hrtime.bigint()) / 1e6,
}
