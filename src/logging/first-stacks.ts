/** Limit of recorded stacks; beyond it no further stack is written. */
const MAX_PLACES = 1_000
/** Characters of a stack that are compared. */
const MAX_LENGTH = 1_000

/** Detects the first error of each origin, by the frames of its stack. */
export class FirstStacks {
  readonly #seen = new Set<string>()

  /** Whether this is the first error with these frames. */
  isFirst(error: unknown): boolean {
    if (!(error instanceof Error) || typeof error.stack !== 'string' || this.#seen.size >= MAX_PLACES) return false
    // The message may contain data of a client; the frames do not.
    const frames = error.stack.slice(error.stack.indexOf('\n    at ')).slice(0, MAX_LENGTH)
    if (this.#seen.has(frames)) return false
    this.#seen.add(frames)
    return true
  }
}
