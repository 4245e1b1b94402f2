/** Permits of one table at most: a local address has fewer ports. */
const MAX_PERMITS = 65_536

const FREE = 0
const WORDS_OF_UNIT = 4

/**
 * Permits to open connections to one server, in memory that all units share. A permit is a word with its owner, so that a unit
 * that ends at any point can not lose one, and their number is never exceeded. Other words of a unit:
 *
 * ```
 *   wanted    connections that its requests wait for
 *   held      permits it has; a hint for fairness, which its owner corrects
 *   signal    changes when it got a permit or another unit wants one
 *   connected permits whose connection is established
 * ```
 */
export class PermitTable {
  readonly #words: Int32Array
  readonly #units: number
  readonly #unit: number
  readonly #permits: number
  /** Positions of the permits of this unit. */
  readonly #own = new Set<number>()

  static bytes(units: number, permits: number): number {
    return (WORDS_OF_UNIT * units + Math.min(permits, MAX_PERMITS)) * Int32Array.BYTES_PER_ELEMENT
  }

  /** The table as seen by one of the units, which are numbered from 0. */
  constructor(memory: SharedArrayBuffer, units: number, unit: number) {
    this.#words = new Int32Array(memory)
    this.#units = units
    this.#unit = unit
    this.#permits = this.#words.length - WORDS_OF_UNIT * units
  }

  get held(): number {
    return this.#own.size
  }

  get hasFree(): boolean {
    return this.#findFree() >= 0
  }

  /** Takes a free permit. */
  acquire(): boolean {
    for (let at = this.#findFree(); at >= 0; at = this.#findFree()) {
      if (Atomics.compareExchange(this.#words, at, FREE, this.#unit + 1) !== FREE) continue
      this.#own.add(at)
      this.#addHeld(this.#unit, 1)
      return true
    }
    return false
  }

  /** Permits that other units have handed over since the last call. */
  collect(): number {
    const known = this.#own.size
    for (let at = WORDS_OF_UNIT * this.#units; at < this.#words.length; at++)
      if (Atomics.load(this.#words, at) === this.#unit + 1) this.#own.add(at)
    Atomics.store(this.#words, this.#units + this.#unit, this.#own.size)
    return this.#own.size - known
  }

  /** Gives a permit to a unit that waits, one of few permits first; frees it where none waits. */
  release(isWanted = false): void {
    const [at] = this.#own
    if (at === undefined) throw new Error('connection permits: expected one to release, got none')
    this.#own.delete(at)
    this.#addHeld(this.#unit, -1)
    const to = this.#claimWaiting(isWanted)
    if (to >= 0) {
      Atomics.store(this.#words, at, to + 1)
      this.#handedTo(to)
      return
    }
    Atomics.store(this.#words, at, FREE)
    // A unit may have begun to wait before the permit was free.
    this.#handOverFree(at, isWanted)
  }

  /** Releases all permits of the unit, which uses none: it leaves, or it has crashed and another thread calls this. */
  releaseAll(): void {
    this.want(0)
    this.collect()
    this.setConnected(0)
    while (this.#own.size > 0) this.release()
    Atomics.store(this.#words, this.#units + this.#unit, 0)
  }

  /** Sets the number of permits that this unit waits for. */
  want(count: number): void {
    const before = Atomics.exchange(this.#words, this.#unit, count)
    if (before <= 0 && count > 0) this.signalHolders()
  }

  /** Makes the other units with permits check whether they can do without one. */
  signalHolders(): void {
    for (let unit = 0; unit < this.#units; unit++)
      if (unit !== this.#unit && Atomics.load(this.#words, this.#units + unit) > 0) this.#signal(unit)
  }

  /** Whether any other unit waits: an idle connection should be closed. */
  get othersWait(): boolean {
    for (let unit = 0; unit < this.#units; unit++)
      if (unit !== this.#unit && Atomics.load(this.#words, unit) > 0) return true
    return false
  }

  /** Whether another unit waits that has no permit, or two fewer: it takes precedence over requests of this unit. */
  get mustYield(): boolean {
    return this.#units > 1 && this.#nextUnit(true, this.#own.size) >= 0
  }

  /** Sets the number of established connections of this unit. */
  setConnected(count: number): void {
    Atomics.store(this.#words, 3 * this.#units + this.#unit, count)
  }

  /** Whether any unit has an established connection. */
  get anyConnected(): boolean {
    for (let unit = 0; unit < this.#units; unit++)
      if (Atomics.load(this.#words, 3 * this.#units + unit) > 0) return true
    return false
  }

  get signal(): number {
    return Atomics.load(this.#words, 2 * this.#units + this.#unit)
  }

  /** Resolves when the signal has another value. */
  async signalChanged(value: number): Promise<void> {
    const { async, value: changed } = Atomics.waitAsync(this.#words, 2 * this.#units + this.#unit, value)
    // Signals in quick succession must not keep the event loop from I/O.
    if (async) await changed
    else await new Promise((resolve) => setImmediate(resolve))
  }

  /** Resolves the promises of `signalChanged`. */
  wake(): void {
    this.#signal(this.#unit)
  }

  #findFree(): number {
    const first = WORDS_OF_UNIT * this.#units
    // Units start at different positions, and rarely compete for one permit.
    const start = Math.floor((this.#unit * this.#permits) / this.#units)
    for (let i = 0; i < this.#permits; i++) {
      const at = first + ((start + i) % this.#permits)
      if (Atomics.load(this.#words, at) === FREE) return at
    }
    return -1
  }

  /** The waiting unit with the fewest permits, in cyclic order; with `isWanted` only one that takes precedence. */
  #nextUnit(isWanted: boolean, held: number): number {
    let next = -1
    let fewest = isWanted ? Math.max(1, held - 1) : Number.POSITIVE_INFINITY
    for (let i = 1; i < this.#units; i++) {
      const unit = (this.#unit + i) % this.#units
      if (Atomics.load(this.#words, unit) <= 0) continue
      const others = Atomics.load(this.#words, this.#units + unit)
      if (others >= fewest) continue
      fewest = others
      next = unit
    }
    return next
  }

  /** The unit that gets the permit that this one no longer counts; it waits for one less now. */
  #claimWaiting(isWanted: boolean): number {
    for (;;) {
      const unit = this.#nextUnit(isWanted, this.#own.size + 1)
      if (unit < 0) return -1
      const wanted = Atomics.load(this.#words, unit)
      if (wanted > 0 && Atomics.compareExchange(this.#words, unit, wanted, wanted - 1) === wanted) return unit
    }
  }

  #handOverFree(at: number, isWanted: boolean): void {
    const to = this.#claimWaiting(isWanted)
    if (to < 0) return
    if (Atomics.compareExchange(this.#words, at, FREE, to + 1) === FREE) this.#handedTo(to)
    else Atomics.add(this.#words, to, 1)
  }

  #handedTo(unit: number): void {
    this.#addHeld(unit, 1)
    this.#signal(unit)
  }

  #addHeld(unit: number, change: number): void {
    Atomics.add(this.#words, this.#units + unit, change)
  }

  #signal(unit: number): void {
    const at = 2 * this.#units + unit
    Atomics.add(this.#words, at, 1)
    Atomics.notify(this.#words, at)
  }
}
