import type { Clock } from './environment.ts'

/** The time of this machine. `process.hrtime` counts from one point for the whole process, `performance.now` may not. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => Number(process.hrtime.bigint()) / 1e6,
}
