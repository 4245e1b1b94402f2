// Waits with a limit, and the delays between attempts.
export { boundedWait } from './bounded-wait.ts'
export { RetryDelay } from './retry-delay.ts'
