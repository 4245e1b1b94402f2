import { setImmediate as nextTurn } from 'node:timers/promises'

/** How long others wait at most, in milliseconds, while one request is worked on. */
const TURN = 10

/** Long work that says, by a yield, where it can be interrupted. */
export type Steps<T> = Generator<void, T, void>

/** Cuts long work into pieces: everything else the thread has to do comes in between. */
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

/** Does the work at once. */
export function runToEnd<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** Does the work in pieces. */
export async function runInSlices<T>(steps: Steps<T>): Promise<T> {
  const turns = new TimeSlices()
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    if (turns.isOver) await turns.next()
  }
}
