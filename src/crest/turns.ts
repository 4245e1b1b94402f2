import { setImmediate as nextTurn } from 'node:timers/promises'

/** How long others wait at most, in milliseconds, while one request is worked on. */
const TURN = 10

/** Cuts long work into pieces: everything else the thread has to do comes in between. */
export class Turns {
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
