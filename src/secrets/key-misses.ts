/** Lookups of unknown key names in one window, for each key set and unit (decisions 13). */
const MAX_LOOKUPS = 5
const WINDOW = 60_000
/** Names of tokens that waited for the same lookup; more are not remembered. */
const MAX_NAMES = 1_000

/** Key names that a JWK Set did not have, and how often it may be looked up for such names. */
export class KeyMisses {
  readonly #lifetime: number
  /** Name to the time of the answer that did not have it. */
  readonly #names = new Map<string, number>()
  #lookups: number[] = []

  /** `lifetime`: milliseconds for which a miss counts. */
  constructor(lifetime: number) {
    this.#lifetime = lifetime
  }

  /** Whether the set was looked up for this name a moment ago, and did not have it. */
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

  /** Whether there may be one more lookup now; counts it. */
  takeLookup(now: number): boolean {
    this.#lookups = this.#lookups.filter((at) => now - at < WINDOW)
    if (this.#lookups.length >= MAX_LOOKUPS) return false
    this.#lookups.push(now)
    return true
  }
}
