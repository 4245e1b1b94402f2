import type { LogEvent, Logger } from '#logging'
import type { Finding } from '../chain/chain-findings.ts'

/** Clock of files, in milliseconds: since the epoch, and one that never goes back. */
export interface TrailClock {
  now(): number
  monotonic(): number
}

/** Services for files. */
export interface TrailEnv {
  readonly logger: Logger
  readonly clock: TrailClock
  /** Log events: what is wrong with a chain that was opened, and a step that failed and is tried again. */
  readonly events: Readonly<Record<Finding | 'step-failed', LogEvent>>
}
