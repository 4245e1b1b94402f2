/** Runs tasks one at a time, in their order; urgent ones before those that wait. */
export class TaskQueue {
  readonly #urgent: (() => Promise<void>)[] = []
  readonly #waiting: (() => Promise<void>)[] = []
  #isRunning = false
  /** Of a task that waits aside. */
  #wake: (() => void) | null = null

  /** Resolves or rejects as the task does; a task that rejects does not stop the others. */
  run<T>(task: () => Promise<T>, { isUrgent = false } = {}): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const tasks = isUrgent ? this.#urgent : this.#waiting
    tasks.push(() => Promise.try(task).then(resolve, reject))
    if (!this.#isRunning) void this.#runAll()
    else if (isUrgent) this.#wake?.()
    return promise
  }

  /** For the task that runs: waits for work of others, and urgent tasks run meanwhile. Rejects as the work does. */
  async aside<T>(work: Promise<T>): Promise<T> {
    let isOver = false
    const end = (): void => {
      isOver = true
      this.#wake?.()
    }
    work.then(end, end)
    while (!isOver) {
      const next = this.#urgent.shift()
      if (next !== undefined) await next()
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
        this.#wake = null
      }
    }
    return work
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true
    // Tasks begin after their caller has continued.
    await null
    for (;;) {
      const next = this.#urgent.shift() ?? this.#waiting.shift()
      if (next === undefined) break
      await next()
    }
    this.#isRunning = false
  }
}
