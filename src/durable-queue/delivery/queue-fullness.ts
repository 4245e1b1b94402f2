/** Parts of memory in use at which the queue becomes full and ceases to be so. */
const FULL = { from: 7 / 8, until: 5 / 8 }

/** Whether a queue is nearly full; it has room again only when a good part of it is free, so that it does not change all the time. */
export class QueueFullness {
  readonly #onChange: (isFull: boolean) => void
  #isFull = false

  constructor(onChange: (isFull: boolean) => void = () => {}) {
    this.#onChange = onChange
  }

  get isFull(): boolean {
    return this.#isFull
  }

  /** `usage`: part of memory in use, 1 is all of it. */
  update(usage: number): void {
    const isFull = usage >= (this.#isFull ? FULL.until : FULL.from)
    if (isFull === this.#isFull) return
    this.#isFull = isFull
    this.#onChange(isFull)
  }
}
