import { JmsError } from './jms-error.ts'

/**
 * Waits of one caller for a state of a connection. Each change of the state starts the timeout again, so that it
 * measures the time without progress.
 */
export class Progress {
  #failure: Error | null = null
  #waiting: Waiting | null = null

  /** Resolves once the condition holds; rejects when the connection fails, or after `timeout` without a change. */
  until(condition: () => boolean, timeout: number, expected: string): Promise<void> {
    if (this.#failure !== null) return Promise.reject(this.#failure)
    if (condition()) return Promise.resolve()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const end = (): void => {
      isExpiring = false
      clearTimeout(timer)
      this.#waiting = null
    }
    let isExpiring = false
    const timer = setTimeout(() => {
      isExpiring = true
      // Data that is already in the socket is read first: after a stall of the event loop, timers run before it.
      setImmediate(() => {
        if (!isExpiring) return
        end()
        reject(new JmsError(`${expected} within ${timeout} ms`))
      })
    }, timeout)
    this.#waiting = {
      changed: () => {
        isExpiring = false
        timer.refresh()
        if (!condition()) return
        end()
        resolve()
      },
      failed: (error) => {
        end()
        reject(error)
      },
    }
    return promise
  }

  /** The state has changed. */
  changed(): void {
    this.#waiting?.changed()
  }

  /** The connection has failed: every wait rejects. Only the first failure counts. */
  fail(error: Error): void {
    if (this.#failure !== null) return
    this.#failure = error
    this.#waiting?.failed(error)
  }

  get failure(): Error | null {
    return this.#failure
  }
}

interface Waiting {
  changed(): void
  failed(error: Error): void
}
