/** Places of faults that are remembered; beyond them no further stack is written. */
const MAX_PLACES = 1_000
/** Characters of a stack that are compared. */
const MAX_LENGTH = 1_000

/** Finds errors that were not seen before, by the frames of their stacks. */
export class FirstStacks {
  readonly #seen = new Set<string>()

  /** Whether this is the first error from its place. */
  isFirst(error: unknown): boolean {
    if (!(error instanceof Error) || typeof error.stack !== 'string' || this.#seen.size >= MAX_PLACES) return false
    // The message may hold data of a client; the frames are those of the code.
    const frames = error.stack.slice(error.stack.indexOf('\n    at ')).slice(0, MAX_LENGTH)
    if (this.#seen.has(frames)) return false
    this.#seen.add(frames)
    return true
  }
}
