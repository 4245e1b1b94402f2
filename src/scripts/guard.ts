import { executionAsyncId } from 'node:async_hooks'
import { type Watch, watchOver } from './watch.ts'

/** A piece of script that runs without a pause: from its start, or from the end of an `await`, to the next one. */
export interface Stretch {
  /** Runs it; called under the watch of the guard. What the guard stops does not get to its `finally` blocks. */
  run(): void
  /** It ran for longer than the limit. */
  stopped(): void
  /** It threw into the guard. */
  failed(error: unknown): void
}

/** For how long one watch covers further stretches, as a part of the limit: the last one keeps nearly all of it. */
const SHARE = 1 / 20
/** And in milliseconds: then others get their turn of the event loop. */
const TURN = 10

/**
 * Runs stretches of scripts under a time limit. Starting a watch costs more than most scripts do, so stretches that are
 * due in one turn of the event loop run under one: the busier a unit is, the less each of them pays.
 */
export class Guard {
  readonly #limit: number
  readonly #watch: Watch
  #due: Stretch[] = []
  #next = 0
  #afterwards: (() => void)[] = []
  #scheduled = false

  /** The limit is in milliseconds. */
  constructor(limit: number) {
    this.#limit = limit
    this.#watch = watchOver(() => this.#runSome(), limit)
  }

  /** Runs a stretch soon. */
  enqueue(stretch: Stretch): void {
    this.#due.push(stretch)
    this.#schedule()
  }

  /**
   * Does something once no script is running any more. Whatever a script asks for goes this way, for code of the gateway
   * must not be stopped half-way.
   */
  afterwards(task: () => void): void {
    this.#afterwards.push(task)
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(this.#turn)
  }

  readonly #turn = (): void => {
    this.#scheduled = false
    const asyncId = executionAsyncId()
    if (this.#watch.run() === 'stopped') this.#due[this.#next - 1]?.stopped()
    this.#due = this.#due.slice(this.#next)
    this.#next = 0
    const tasks = this.#afterwards
    this.#afterwards = []
    for (const task of tasks) task()
    if (this.#due.length > 0) this.#schedule()
    if (executionAsyncId() !== asyncId) leaveBrokenTurn()
  }

  #runSome(): void {
    const end = performance.now() + Math.min(this.#limit * SHARE, TURN)
    while (this.#next < this.#due.length) {
      const stretch = this.#due[this.#next] as Stretch
      this.#next += 1
      try {
        stretch.run()
      } catch (error) {
        this.#afterwards.push(() => stretch.failed(error))
      }
      if (performance.now() > end) return
    }
  }
}

/**
 * Where something traces asynchronous calls (`async_hooks`: a debugger, a test runner), Node keeps a stack of them, and a
 * script that is stopped after an `await` leaves its call on it; Node ends the process when it finds that. An exception
 * that leaves this turn of the event loop makes Node empty the stack.
 */
function leaveBrokenTurn(): never {
  process.setUncaughtExceptionCaptureCallback(() => process.setUncaughtExceptionCaptureCallback(null))
  throw new Error('a script was stopped')
}

// Scripts of all objects of a thread share a watch; a guard holds nothing between two batches.
const guards = new Map<number, Guard>()

/** The guard of this thread for a limit in milliseconds. */
export function guardFor(limit: number): Guard {
  let guard = guards.get(limit)
  if (guard === undefined) {
    guard = new Guard(limit)
    guards.set(limit, guard)
  }
  return guard
}
