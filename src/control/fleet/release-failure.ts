import { EtcdError } from '#etcd'
import type { LogEvent } from '#logging'
import { ReleaseError } from '#releases'
import { EVENTS } from '../log-events.ts'
import type { ReleaseProblem } from './instance-status.ts'
import { DamagedCopyError } from './release-folders.ts'

/** Units can not start with a release; the others serve on. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError'
  readonly problems: readonly ReleaseProblem[]

  constructor(problems: readonly ReleaseProblem[]) {
    super('no unit can start with the release')
    this.problems = problems
  }
}

/** Why an instance is not at the release that it should serve. */
export interface ReleaseFailure {
  readonly event: LogEvent
  readonly problems: readonly ReleaseProblem[]
  /** For the public: without addresses and paths. */
  readonly reason: string
  /** Whether another attempt costs as much as a start of units. */
  readonly isRefusal: boolean
}

/** Null for an outage of the store, which its follower reports. */
export function failureOf(error: unknown): ReleaseFailure | null {
  const failure = { isRefusal: false, reason: 'it can not be read' }
  if (error instanceof RefusedError) {
    const reason = 'no unit can start with it; it is tried again'
    return { event: EVENTS.RELEASE_REFUSED, problems: error.problems, reason, isRefusal: true }
  }
  const { message, code, syscall } = error as NodeJS.ErrnoException
  if (error instanceof DamagedCopyError) {
    const problems = error.paths.map((file) => ({ file, message }))
    return { ...failure, event: EVENTS.COPY_DAMAGED, problems, reason: 'files on disk are damaged' }
  }
  if (error instanceof EtcdError && error.kind === 'unavailable') return null
  if (syscall !== undefined) {
    // Without the path, which is another one with each attempt.
    const reason = `it can not be written to the state directory: ${code}`
    return {
      ...failure,
      event: EVENTS.RELEASE_NOT_STORED,
      problems: [{ file: '', message: `release: ${reason}` }],
      reason,
    }
  }
  const problem = error instanceof ReleaseError ? message : `release can not be read: ${message}`
  return { ...failure, event: EVENTS.RELEASE_UNREADABLE, problems: [{ file: '', message: problem }] }
}
