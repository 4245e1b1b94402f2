interface Waiter {
  readonly target: number
  /** A failure of a later call of `send` ends the waiting; null: no failure does. */
  readonly attempt: number | null
  readonly end: (isSettled: boolean) => void
}

/** Calls that wait until the records added before them are settled. */
export class FlushWaiters {
  readonly #waiters = new Set<Waiter>()

  /**
   * Resolves with true when `target` records are settled, with false after the limit in milliseconds or when a call of
   * `send` after `attempt` fails.
   */
  wait(target: number, limit: number, attempt: number | null): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const timer = setTimeout(() => waiter.end(false), limit)
    const waiter: Waiter = {
      target,
      attempt,
      end: (isSettled: boolean) => {
        clearTimeout(timer)
        this.#waiters.delete(waiter)
        resolve(isSettled)
      },
    }
    this.#waiters.add(waiter)
    return promise
  }

  /** Records were delivered or lost. */
  settled(count: number): void {
    for (const waiter of this.#waiters) {
      if (waiter.target <= count) waiter.end(true)
    }
  }

  /** The call of `send` with this number failed; true where a waiter needs another one at once. */
  failed(call: number): boolean {
    let needsCall = false
    for (const waiter of this.#waiters) {
      if (waiter.attempt === null) continue
      if (waiter.attempt < call) waiter.end(false)
      else needsCall = true
    }
    return needsCall
  }

  end(): void {
    for (const waiter of this.#waiters) waiter.end(false)
  }
}
