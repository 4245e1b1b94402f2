/** The waits of a loop, which other calls end. */
export class LoopPause {
  #resume: (() => void) | null = null
  #isIdle = false

  /** Whether the loop waits without a limit. */
  get isIdle(): boolean {
    return this.#isIdle
  }

  /** Ends the wait, if there is one. */
  resume(): void {
    this.#resume?.()
  }

  /** Until `resume` is called. */
  async idle(): Promise<void> {
    this.#isIdle = true
    await new Promise<void>((resolve) => {
      this.#resume = resolve
    })
    this.#isIdle = false
    this.#resume = null
  }

  /** For so many milliseconds, or until `resume` is called. */
  async wait(delay: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, delay)
    this.#resume = resolve
    await promise
    clearTimeout(timer)
    this.#resume = null
  }
}
