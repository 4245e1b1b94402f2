/** Finds items by their tags. Most tags have one item: a set is created for the second one. */
export class TagIndex<T extends object> {
  readonly #items = new Map<string, T | Set<T>>()

  add(item: T, tags: readonly string[]): void {
    for (const tag of tags) {
      const known = this.#items.get(tag)
      if (known === undefined) this.#items.set(tag, item)
      else if (known instanceof Set) known.add(item)
      else if (known !== item) this.#items.set(tag, new Set([known, item]))
    }
  }

  delete(item: T, tags: readonly string[]): void {
    for (const tag of tags) {
      const known = this.#items.get(tag)
      if (known === item) this.#items.delete(tag)
      else if (known instanceof Set && known.delete(item) && known.size === 0) this.#items.delete(tag)
    }
  }

  /** A copy: items may be deleted while it is read. */
  withTag(tag: string): readonly T[] {
    const known = this.#items.get(tag)
    if (known === undefined) return NONE
    return known instanceof Set ? [...known] : [known]
  }

  /** A copy of all items, each once. */
  all(): readonly T[] {
    const items = new Set<T>()
    for (const known of this.#items.values()) {
      if (known instanceof Set) for (const item of known) items.add(item)
      else items.add(known)
    }
    return [...items]
  }

  clear(): void {
    this.#items.clear()
  }
}

const NONE: readonly never[] = []
