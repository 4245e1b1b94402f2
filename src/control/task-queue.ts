/** Runs tasks one at a time, in their order; urgent ones before those that wait. */
export class TaskQueue {
  readonly #urgent: (() => Promise<void>)[] = []
  readonly #waiting: (() => Promise<void>)[] = []
  #isRunning = false

  /** Resolves or rejects as the task does; a task that rejects does not stop the others. */
  run<T>(task: () => Promise<T>, { isUrgent = false } = {}): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const tasks = isUrgent ? this.#urgent : this.#waiting
    tasks.push(() => Promise.try(task).then(resolve, reject))
    if (!this.#isRunning) void this.#runAll()
    return promise
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
