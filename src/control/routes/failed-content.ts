import { statSync } from 'node:fs'
import { STAMP_SETTLES_AFTER } from './route-files.ts'

/** A content of a route file that could not be deployed. */
export class FailedContent {
  readonly content: string
  /** Of the route file; empty while unknown. */
  #stamp: string
  /** The files that its build read or sought, missing ones included, with their states at that time. */
  readonly #sought: ReadonlyMap<string, string>
  /** Whether it is to be deployed again. */
  isRetried = false

  constructor(content: string, stamp: string, sought: Iterable<string>) {
    this.content = content
    this.#stamp = stamp
    this.#sought = new Map([...sought].map((path) => [path, stateOf(path, Date.now() - STAMP_SETTLES_AFTER)]))
  }

  /**
   * Whether the route file was written again, or a file that its build sought has changed: then it is to be deployed again.
   * `known` has the current states of the files that were read for other contents.
   */
  check(stamp: string, known: Map<string, string>): void {
    if (this.#stamp !== '' && this.#stamp !== stamp) this.isRetried = true
    this.#stamp = stamp
    for (const [path, before] of this.#sought) {
      if (this.isRetried) return
      const now = known.get(path) ?? stateOf(path, Number.POSITIVE_INFINITY)
      known.set(path, now)
      this.isRetried = now !== before
    }
  }
}

/** Empty for a file that was changed after `settled`: the build may have read it before, so that it counts as changed. */
function stateOf(path: string, settled: number): string {
  try {
    const { dev, ino, size, mtimeMs, ctimeMs } = statSync(path)
    // A time in the future is that of another clock.
    return ctimeMs > settled && ctimeMs <= Date.now() ? '' : [dev, ino, size, mtimeMs, ctimeMs].join(' ')
  } catch (error) {
    return `error ${(error as NodeJS.ErrnoException).code}`
  }
}
