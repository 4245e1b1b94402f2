/** An item of at most one list. */
export interface ActiveListItem {
  /** Index in the list, owned by the list; -1 while it is in none. */
  slot: number
}

/**
 * Unordered list of active items, with add and delete in constant time. An array, since each rehash of a Set links the old
 * hash table to the new one: an old table in the old generation keeps later requests alive until a major collection.
 */
export class ActiveList<T extends ActiveListItem> {
  readonly #items: T[] = []

  get size(): number {
    return this.#items.length
  }

  add(item: T): void {
    item.slot = this.#items.push(item) - 1
  }

  /** No-op for an item that is not in the list. */
  delete(item: T): void {
    if (item.slot < 0) return
    const last = this.#items.pop()!
    if (last !== item) {
      this.#items[item.slot] = last
      last.slot = item.slot
    }
    item.slot = -1
  }

  /** A copy: items may be deleted while it is iterated. */
  all(): readonly T[] {
    return [...this.#items]
  }

  some(test: (item: T) => boolean): boolean {
    return this.#items.some(test)
  }
}
