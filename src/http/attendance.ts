/** Somebody who can be in one list at a time, and knows where. */
export interface Attendee {
  /** For the list alone; -1 while it is in none. */
  slot: number
}

/**
 * Those who are there now, for lists that every request enters and leaves. An array and not a Set: each time a Set makes
 * room, the table it leaves behind leads to the next one and to all that were in it, so that a table which has grown old
 * keeps every request after it from being collected cheaply. The order is not kept.
 */
export class Attendance<T extends Attendee> {
  readonly #present: T[] = []

  get size(): number {
    return this.#present.length
  }

  enter(attendee: T): void {
    attendee.slot = this.#present.push(attendee) - 1
  }

  /** Whoever is not there may leave as well. */
  leave(attendee: T): void {
    if (attendee.slot < 0) return
    const last = this.#present.pop()!
    if (last !== attendee) {
      this.#present[attendee.slot] = last
      last.slot = attendee.slot
    }
    attendee.slot = -1
  }

  /** Those who are there at this moment; what they do meanwhile changes nothing in the list. */
  all(): readonly T[] {
    return [...this.#present]
  }

  some(test: (attendee: T) => boolean): boolean {
    return this.#present.some(test)
  }
}
