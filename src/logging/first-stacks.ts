/** Limit of recorded stacks; beyond it no further stack is written. */
const MAX_PLACES = 1_000
/** Characters of a stack that are compared. */
const MAX_LENGTH = 1_000
/** Causes whose stacks are compared. */
const MAX_CAUSES = 4

/** Detects the first error of each origin, by the frames of its stack and of the stacks of its causes. */
export class FirstStacks {
  readonly #seen = new Set<string>()

  /** Whether this is the first error with these frames. */
  isFirst(error: unknown): boolean {
    if (!(error instanceof Error) || typeof error.stack !== 'string' || this.#seen.size >= MAX_PLACES) return false
    const frames = framesOf(error, MAX_CAUSES)
    if (this.#seen.has(frames)) return false
    this.#seen.add(frames)
    return true
  }
}

/** The message may contain data of a client; the frames do not. */
function framesOf({ stack, cause }: Error, causes: number): string {
  const own = typeof stack === 'string' ? stack.slice(stack.indexOf('\n    at ')).slice(0, MAX_LENGTH) : ''
  return cause instanceof Error && causes > 0 ? own + framesOf(cause, causes - 1) : own
}
