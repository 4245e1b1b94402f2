interface Region {
  readonly memory: SharedArrayBuffer
  /** Reference count of each holder: the old and the new version of a route may overlap in one unit. */
  readonly holders: Map<object, number>
}

/** Memory shared by the same object of all units; freed when the last unit releases it. */
export class SharedMemory {
  readonly #regions = new Map<string, Region>()

  /** The memory of a key, allocated on first use. */
  acquire(key: string, bytes: number, holder: object): SharedArrayBuffer {
    const region = this.#regions.get(key) ?? { memory: new SharedArrayBuffer(bytes), holders: new Map() }
    region.holders.set(holder, (region.holders.get(holder) ?? 0) + 1)
    this.#regions.set(key, region)
    return region.memory
  }

  /** All memory of a holder. */
  heldBy(holder: object): SharedArrayBuffer[] {
    return [...this.#regions.values()].filter(({ holders }) => holders.has(holder)).map(({ memory }) => memory)
  }

  release(key: string, holder: object): void {
    const held = this.#regions.get(key)?.holders.get(holder) ?? 0
    if (held > 1) this.#regions.get(key)?.holders.set(holder, held - 1)
    else this.#remove(key, holder)
  }

  /** A holder has ended: releases all of its memory. */
  releaseAll(holder: object): void {
    for (const key of [...this.#regions.keys()]) this.#remove(key, holder)
  }

  #remove(key: string, holder: object): void {
    const region = this.#regions.get(key)
    region?.holders.delete(holder)
    if (region?.holders.size === 0) this.#regions.delete(key)
  }
}
