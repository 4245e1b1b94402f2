import { setImmediate as nextTurn } from 'node:timers/promises'

/** Longest time in milliseconds for which one request blocks the event loop. */
const TURN = 10

/** Long work that yields where it may be interrupted. */
export type Steps<T> = Generator<void, T, void>

/** Yields to the event loop between slices of long work. */
export class TimeSlices {
  #until = performance.now() + TURN

  /** Whether the slice is used up: `next` must be awaited. */
  get isOver(): boolean {
    return performance.now() >= this.#until
  }

  async next(): Promise<void> {
    await nextTurn()
    this.#until = performance.now() + TURN
  }
}

/** Runs the work without interruption. */
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
