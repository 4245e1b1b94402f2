import type { Executor } from '#contracts'
import { MAX_TIMER_DELAY } from '#schema'
import { boundedWait } from '#timing'

type Task = () => void | Promise<void>

/** Runs tasks by timers that do not keep the process alive. */
export class TaskTimers implements Executor {
  readonly #onError: (error: unknown) => void
  readonly #waiting = new Set<NodeJS.Timeout>()
  readonly #running = new Set<Promise<void>>()
  #stopped = false

  /** `onError` is called for a task that fails; other tasks are not affected. */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  schedule(delay: number, task: Task): () => void {
    if (!(delay >= 0)) throw new RangeError(`executor: expected a delay of at least 0 milliseconds, got ${delay}`)
    this.#checkOpen()
    return this.#after(delay, () => void this.#run(task))
  }

  repeat(interval: number, task: Task): () => void {
    if (!(interval > 0))
      throw new RangeError(`executor: expected an interval of more than 0 milliseconds, got ${interval}`)
    this.#checkOpen()
    let cancel = () => {}
    let cancelled = false
    const again = () => {
      cancel = this.#after(interval, () => {
        void this.#run(task).then(() => {
          if (!cancelled && !this.#stopped) again()
        })
      })
    }
    again()
    return () => {
      cancelled = true
      cancel()
    }
  }

  /** Drops pending tasks, and waits for running ones for `gracePeriod` at most. */
  async stop(gracePeriod: number): Promise<void> {
    this.#stopped = true
    for (const timer of this.#waiting) clearTimeout(timer)
    this.#waiting.clear()
    if (this.#running.size === 0 || gracePeriod === 0) return
    await boundedWait(Promise.all(this.#running), gracePeriod)
  }

  #checkOpen(): void {
    // Throws: a request that waits for a silently dropped task would hang.
    if (this.#stopped) throw new Error('executor: it has stopped and accepts no more tasks')
  }

  #after(delay: number, act: () => void): () => void {
    if (delay === Number.POSITIVE_INFINITY) return () => {}
    let timer: NodeJS.Timeout
    const wait = (left: number) => {
      timer = setTimeout(
        () => {
          this.#waiting.delete(timer)
          if (left > MAX_TIMER_DELAY) wait(left - MAX_TIMER_DELAY)
          else act()
        },
        Math.min(left, MAX_TIMER_DELAY),
      ).unref()
      this.#waiting.add(timer)
    }
    wait(delay)
    return () => {
      clearTimeout(timer)
      this.#waiting.delete(timer)
    }
  }

  async #run(task: Task): Promise<void> {
    const running = this.#guarded(task)
    this.#running.add(running)
    await running
    this.#running.delete(running)
  }

  async #guarded(task: Task): Promise<void> {
    try {
      await task()
    } catch (error) {
      this.#onError(error)
    }
  }
}
