/** Requests a client may take back at once, and how many more in each second (threats F25, CVE-2023-44487). */
export const RESET_BURST = 200
export const RESETS_PER_SECOND = 20

/** What a session may still take back. */
export class ResetBudget {
  #left = RESET_BURST
  #filledAt: number

  constructor(now: number) {
    this.#filledAt = now
  }

  /** Takes one; false when nothing is left. */
  take(now: number): boolean {
    this.#left = Math.min(RESET_BURST, this.#left + ((now - this.#filledAt) / 1000) * RESETS_PER_SECOND)
    this.#filledAt = now
    this.#left -= 1
    return this.#left >= 0
  }
}
