/**
 * Finds things by the marks they bear. Most marks belong to one thing, so that only the second one for a mark makes a
 * set of them.
 */
export class MarkIndex<T extends object> {
  readonly #bearers = new Map<string, T | Set<T>>()

  add(thing: T, marks: readonly string[]): void {
    for (const mark of marks) {
      const known = this.#bearers.get(mark)
      if (known === undefined) this.#bearers.set(mark, thing)
      else if (known instanceof Set) known.add(thing)
      else if (known !== thing) this.#bearers.set(mark, new Set([known, thing]))
    }
  }

  remove(thing: T, marks: readonly string[]): void {
    for (const mark of marks) {
      const known = this.#bearers.get(mark)
      if (known === thing) this.#bearers.delete(mark)
      else if (known instanceof Set && known.delete(thing) && known.size === 0) this.#bearers.delete(mark)
    }
  }

  /** Everything that bears the mark, in a list of its own: it may be taken out of the index while it is read. */
  bearing(mark: string): readonly T[] {
    const known = this.#bearers.get(mark)
    if (known === undefined) return NONE
    return known instanceof Set ? [...known] : [known]
  }

  /** Everything in the index, each thing once, in a list of its own. */
  all(): readonly T[] {
    const things = new Set<T>()
    for (const known of this.#bearers.values()) {
      if (known instanceof Set) for (const thing of known) things.add(thing)
      else things.add(known)
    }
    return [...things]
  }

  clear(): void {
    this.#bearers.clear()
  }

  get size(): number {
    return this.#bearers.size
  }
}

const NONE: readonly never[] = []
