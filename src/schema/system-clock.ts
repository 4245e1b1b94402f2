import type { Clock } from './environment.ts'

/** The longest delay of setTimeout and setInterval, in milliseconds; a longer one fires at once. */
export const MAX_TIMER_DELAY = 2 ** 31 - 1

/**
 * `process.hrtime` has one origin for all threads of the process, `performance.now` has another in each, and makes no BigInt for each
 * reading: its origin is found once. Of several pairs of readings, the one counts between which the thread was not interrupted.
 */
const origin = Math.min(...Array.from({ length: 8 }, () => -performance.now() + Number(process.hrtime.bigint()) / 1e6))

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => origin + performance.now(),
}
