/** Streams a client may reset at once, and further ones per second (threats F25, CVE-2023-44487). */
export const RESET_BURST = 200
export const RESETS_PER_SECOND = 20

/** Token bucket for the resets of one session. */
export class ResetBudget {
  #left = RESET_BURST
  #filledAt: number

  constructor(now: number) {
    this.#filledAt = now
  }

  /** False when the budget is exhausted. */
  spend(now: number): boolean {
    this.#left = Math.min(RESET_BURST, this.#left + ((now - this.#filledAt) / 1000) * RESETS_PER_SECOND)
    this.#filledAt = now
    this.#left -= 1
    return this.#left >= 0
  }
}
