import type { ReadEvent } from '#audit'

/** The last events of a stream. */
export class LastEvents {
  readonly #limit: number
  #kept: ReadEvent[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  add(event: ReadEvent): void {
    if (this.#limit === 0) return
    this.#kept.push(event)
    if (this.#kept.length >= this.#limit * 2) this.#kept = this.#kept.slice(-this.#limit)
  }

  get events(): readonly ReadEvent[] {
    return this.#kept.slice(-this.#limit)
  }
}
