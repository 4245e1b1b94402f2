/** Memory that the same object has in every unit; kept as long as one of them holds it. */
export class SharedMemory {
  readonly #regions = new Map<string, { memory: SharedArrayBuffer; holders: Set<object> }>()

  /** The memory of a key, made when first asked for. */
  take(key: string, bytes: number, holder: object): SharedArrayBuffer {
    const region = this.#regions.get(key) ?? { memory: new SharedArrayBuffer(bytes), holders: new Set() }
    region.holders.add(holder)
    this.#regions.set(key, region)
    return region.memory
  }

  release(key: string, holder: object): void {
    const region = this.#regions.get(key)
    region?.holders.delete(holder)
    if (region?.holders.size === 0) this.#regions.delete(key)
  }

  /** A holder is gone with everything it held. */
  releaseAll(holder: object): void {
    for (const key of [...this.#regions.keys()]) this.release(key, holder)
  }
}
