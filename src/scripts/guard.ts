import { executionAsyncId } from 'node:async_hooks'
import { type Watchdog, watchdogFor } from './watchdog.ts'

/** A synchronous run of a script: from its start, or from the end of an `await`, to the next `await`. */
export interface SyncRun {
  /** Called under the watchdog. Code that the watchdog stops does not run its `finally` blocks. */
  run(): void
  /** It exceeded the time limit. */
  stopped(): void
  /** `run` threw. */
  failed(error: unknown): void
}

/** Part of the limit during which further runs start under one watchdog: the last run still has nearly the whole limit. */
const SHARE = 1 / 20
/** The same in milliseconds: then the guard yields to the event loop. */
const TURN = 10

/**
 * Runs scripts under a time limit. Starting a watchdog costs more than most scripts, so all runs that are due in one turn of
 * the event loop share one.
 */
export class Guard {
  readonly #limit: number
  readonly #watchdog: Watchdog
  #due: SyncRun[] = []
  #next = 0
  #afterwards: (() => void)[] = []
  #scheduled = false

  /** The limit is in milliseconds. */
  constructor(limit: number) {
    this.#limit = limit
    this.#watchdog = watchdogFor(() => this.#runSome(), limit)
  }

  enqueue(run: SyncRun): void {
    this.#due.push(run)
    this.#schedule()
  }

  /**
   * Runs a task after the scripts of this turn. Calls of a script to the gateway are made here, since the watchdog must not stop
   * code of the gateway.
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
    if (this.#watchdog.run() === 'stopped') this.#due[this.#next - 1]?.stopped()
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
      const run = this.#due[this.#next] as SyncRun
      this.#next += 1
      try {
        run.run()
      } catch (error) {
        this.#afterwards.push(() => run.failed(error))
      }
      if (performance.now() > end) return
    }
  }
}

/**
 * With `async_hooks` in use (debugger, test runner) Node maintains a stack of asynchronous calls. A script that is stopped after
 * an `await` leaves its call on the stack, and Node would end the process. An uncaught exception makes Node clear the stack.
 */
function leaveBrokenTurn(): never {
  process.setUncaughtExceptionCaptureCallback(() => process.setUncaughtExceptionCaptureCallback(null))
  throw new Error('a script was stopped')
}

// Scripts of all objects of a thread share a guard; it has no state between two batches.
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
