interface Region {
  readonly memory: SharedArrayBuffer
  /** Reference count of each holder: the old and the new version of a route may overlap in one unit. */
  readonly holders: Map<object, number>
}

/** Memory shared by the same object of all units; freed when the last unit releases it. */
export class SharedMemory {
  /** By key, then by size: a property of config.json may change the size of an object whose route is the same. */
  readonly #regions = new Map<string, Map<number, Region>>()

  /** The memory of a key, allocated on first use. */
  acquire(key: string, bytes: number, holder: object): SharedArrayBuffer {
    const sizes = this.#regions.get(key) ?? new Map<number, Region>()
    const region = sizes.get(bytes) ?? { memory: new SharedArrayBuffer(bytes), holders: new Map() }
    region.holders.set(holder, (region.holders.get(holder) ?? 0) + 1)
    sizes.set(bytes, region)
    this.#regions.set(key, sizes)
    return region.memory
  }

  /** Whether a holder has the memory of a key. */
  isHeld(key: string, bytes: number, holder: object): boolean {
    return this.#regions.get(key)?.get(bytes)?.holders.has(holder) ?? false
  }

  /** All memory of a holder. */
  heldBy(holder: object): SharedArrayBuffer[] {
    return [...this.#regions.values()]
      .flatMap((sizes) => [...sizes.values()])
      .filter(({ holders }) => holders.has(holder))
      .map(({ memory }) => memory)
  }

  /** A holder has one size of a key. */
  release(key: string, holder: object): void {
    for (const { holders } of this.#regions.get(key)?.values() ?? []) {
      const held = holders.get(holder) ?? 0
      if (held > 1) holders.set(holder, held - 1)
      else holders.delete(holder)
    }
    this.#removeUnused(key)
  }

  /** A holder has ended: releases all of its memory. */
  releaseAll(holder: object): void {
    for (const [key, sizes] of [...this.#regions]) {
      for (const { holders } of sizes.values()) holders.delete(holder)
      this.#removeUnused(key)
    }
  }

  #removeUnused(key: string): void {
    const sizes = this.#regions.get(key)
    for (const [bytes, { holders }] of [...(sizes ?? [])]) if (holders.size === 0) sizes?.delete(bytes)
    if (sizes?.size === 0) this.#regions.delete(key)
  }
}
