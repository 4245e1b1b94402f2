import { setImmediate as nextTurn } from 'node:timers/promises'

/** How long others wait at most, in milliseconds, while one request is worked on. */
const TURN = 10

/** Long work that yields where it can be interrupted. */
export type Steps<T> = Generator<void, T, void>

/** Yields to the event loop between slices of long work. */
export class TimeSlices {
  #until = performance.now() + TURN

  /** Whether others have waited long enough; then `next` is to be awaited. */
  get isOver(): boolean {
    return performance.now() >= this.#until
  }

  async next(): Promise<void> {
    await nextTurn()
    this.#until = performance.now() + TURN
  }
}

/** Runs the work without a break. */
export function runToEnd<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** Runs the work in slices. */
export async function runInSlices<T>(steps: Steps<T>): Promise<T> {
  const turns = new TimeSlices()
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    if (turns.isOver) await turns.next()
  }
}
