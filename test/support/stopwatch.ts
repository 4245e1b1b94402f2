// Taken before a test replaces timers by a mock.
const { setInterval, clearInterval } = globalThis

const INTERVAL = 10
/** What a stall counts: the event loop of a test that runs turns more often, also on a busy machine. */
const MAX_GAP = 100

/**
 * Measures how long something takes that other threads or processes do, without the stalls of this process: on shared hardware
 * all processes stop for up to a second. Work of this thread is measured by `threadTime` of #test/loop-watch.
 */
export class Stopwatch implements Disposable {
  readonly #timer = setInterval(() => this.#count(), INTERVAL).unref()
  #last = performance.now()
  #elapsed = 0

  /** Milliseconds since the start. */
  get elapsed(): number {
    this.#count()
    return this.#elapsed
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  #count(): void {
    const now = performance.now()
    this.#elapsed += Math.min(now - this.#last, MAX_GAP)
    this.#last = now
  }
}
