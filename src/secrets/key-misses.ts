/** Lookups of unknown key names in one window, for each key set and unit (decisions 13). */
const MAX_LOOKUPS = 5
const WINDOW = 60_000
/** Limit of recorded names: those of tokens that waited for the same lookup. */
const MAX_NAMES = 1_000

/** Negative cache of key names that a JWK Set does not have, and rate limit of lookups for such names. */
export class KeyMisses {
  readonly #lifetime: number
  /** By name, the time of the response without it. */
  readonly #names = new Map<string, number>()
  #lookups: number[] = []

  /** `lifetime`: TTL of a miss in milliseconds. */
  constructor(lifetime: number) {
    this.#lifetime = lifetime
  }

  /** Whether a lookup within the TTL did not find this name. */
  isKnown(name: string, now: number): boolean {
    const at = this.#names.get(name)
    return at !== undefined && now - at < this.#lifetime
  }

  add(name: string, now: number): void {
    this.#names.delete(name)
    this.#names.set(name, now)
    for (const [oldest, at] of this.#names) {
      if (this.#names.size <= MAX_NAMES && now - at < this.#lifetime) return
      this.#names.delete(oldest)
    }
  }

  /** Whether another lookup is allowed now; counts it. */
  takeLookup(now: number): boolean {
    this.#lookups = this.#lookups.filter((at) => now - at < WINDOW)
    if (this.#lookups.length >= MAX_LOOKUPS) return false
    this.#lookups.push(now)
    return true
  }
}
