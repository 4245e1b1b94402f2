import type { Clock } from './environment.ts'

/** The longest delay of setTimeout and setInterval, in milliseconds; a longer one fires at once. */
export const MAX_TIMER_DELAY = 2 ** 31 - 1

/** `process.hrtime` has one origin for all threads of the process, `performance.now` may not. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => Number(process.hrtime.bigint()) / 1e6,
}
