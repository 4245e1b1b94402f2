/** Permits of one table at most: a local address has fewer ports. */
const MAX_PERMITS = 65_536

const FREE = 0
const WORDS_OF_UNIT = 4
/** Permits of one block: a search skips the blocks that have not changed since it found nothing in them. */
const BLOCK = 256

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
 *
 * and one of a block of permits: how often one of them became free or was handed over, counted after it.
 */
export class PermitTable {
  readonly #words: Int32Array
  readonly #units: number
  readonly #unit: number
  readonly #permits: number
  readonly #blocks: number
  /** The permits of this unit. */
  readonly #own: number[] = []
  readonly #isOwn: Uint8Array
  /** The changes of each block when none of its permits was free, and when those handed over were adopted. */
  readonly #searched: Float64Array
  readonly #adopted: Float64Array
  /** Where a search for a free permit begins: units begin at different ones, and rarely compete for one. */
  #next: number

  static bytes(units: number, permits: number): number {
    const count = Math.min(permits, MAX_PERMITS)
    return (WORDS_OF_UNIT * units + Math.ceil(count / BLOCK) + count) * Int32Array.BYTES_PER_ELEMENT
  }

  /** The table as seen by one of the units, which are numbered from 0. */
  constructor(memory: SharedArrayBuffer, units: number, unit: number) {
    this.#words = new Int32Array(memory)
    this.#units = units
    this.#unit = unit
    const words = this.#words.length - WORDS_OF_UNIT * units
    this.#blocks = Math.ceil(words / (BLOCK + 1))
    this.#permits = words - this.#blocks
    this.#next = Math.floor((unit * this.#permits) / units)
    this.#isOwn = new Uint8Array(this.#permits)
    this.#searched = new Float64Array(this.#blocks).fill(Number.NaN)
    this.#adopted = new Float64Array(this.#blocks).fill(Number.NaN)
  }

  get held(): number {
    return this.#own.length
  }

  get hasFree(): boolean {
    return this.#findFree() >= 0
  }

  /** Takes a free permit. */
  acquire(): boolean {
    for (let permit = this.#findFree(); permit >= 0; permit = this.#findFree()) {
      if (Atomics.compareExchange(this.#words, this.#at(permit), FREE, this.#unit + 1) !== FREE) continue
      this.#add(permit)
      this.#addHeld(this.#unit, 1)
      this.#next = (permit + 1) % this.#permits
      return true
    }
    return false
  }

  /** Takes over the permits that other units have granted since the last call, and returns their number. */
  adoptGranted(): number {
    const known = this.#own.length
    for (let block = 0; block < this.#blocks; block++) {
      const changes = this.#changesOf(block)
      if (changes === this.#adopted[block]) continue
      this.#adopted[block] = changes
      const end = Math.min((block + 1) * BLOCK, this.#permits)
      for (let permit = block * BLOCK; permit < end; permit++)
        if (this.#isOwn[permit] === 0 && this.#ownerOf(permit) === this.#unit + 1) this.#add(permit)
    }
    Atomics.store(this.#words, this.#units + this.#unit, this.#own.length)
    return this.#own.length - known
  }

  /** Gives a permit to a unit that waits, one of few permits first; frees it where none waits. */
  release(isWanted = false): void {
    const permit = this.#own.pop()
    if (permit === undefined) throw new Error('connection permits: expected one to release, got none')
    this.#isOwn[permit] = 0
    this.#addHeld(this.#unit, -1)
    const to = this.#claimWaiting(isWanted)
    if (to >= 0) {
      Atomics.store(this.#words, this.#at(permit), to + 1)
      this.#handedTo(to, permit)
      return
    }
    Atomics.store(this.#words, this.#at(permit), FREE)
    this.#changed(permit)
    this.#next = permit
    // A unit may have begun to wait before the permit was free.
    this.#handOverFree(permit, isWanted)
  }

  /** Releases all permits of the unit, which uses none: it leaves, or it has crashed and another thread calls this. */
  releaseAll(): void {
    this.setDemand(0)
    this.#adopted.fill(Number.NaN)
    this.adoptGranted()
    this.setConnected(0)
    while (this.#own.length > 0) this.release()
    Atomics.store(this.#words, this.#units + this.#unit, 0)
    // The unit may have ended between a change and its count.
    for (let permit = 0; permit < this.#permits; permit += BLOCK) this.#changed(permit)
  }

  /** Sets the number of permits that this unit waits for. */
  setDemand(count: number): void {
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
  get mustGiveUpOne(): boolean {
    return this.#units > 1 && this.#nextUnit(true, this.#own.length) >= 0
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
    const first = Math.floor(this.#next / BLOCK)
    for (let i = 0; i < this.#blocks; i++) {
      const block = (first + i) % this.#blocks
      const changes = this.#changesOf(block)
      if (changes === this.#searched[block]) continue
      const permit = this.#findFreeIn(block)
      if (permit >= 0) return permit
      this.#searched[block] = changes
    }
    return -1
  }

  #findFreeIn(block: number): number {
    const first = block * BLOCK
    const size = Math.min(BLOCK, this.#permits - first)
    for (let i = 0; i < size; i++) {
      const permit = first + ((this.#next + i) % size)
      if (this.#ownerOf(permit) === FREE) return permit
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
      const unit = this.#nextUnit(isWanted, this.#own.length + 1)
      if (unit < 0) return -1
      const wanted = Atomics.load(this.#words, unit)
      if (wanted > 0 && Atomics.compareExchange(this.#words, unit, wanted, wanted - 1) === wanted) return unit
    }
  }

  #handOverFree(permit: number, isWanted: boolean): void {
    const to = this.#claimWaiting(isWanted)
    if (to < 0) return
    if (Atomics.compareExchange(this.#words, this.#at(permit), FREE, to + 1) === FREE) this.#handedTo(to, permit)
    else Atomics.add(this.#words, to, 1)
  }

  #handedTo(unit: number, permit: number): void {
    this.#changed(permit)
    this.#addHeld(unit, 1)
    this.#signal(unit)
  }

  #add(permit: number): void {
    this.#own.push(permit)
    this.#isOwn[permit] = 1
  }

  #at(permit: number): number {
    return WORDS_OF_UNIT * this.#units + this.#blocks + permit
  }

  #ownerOf(permit: number): number {
    return Atomics.load(this.#words, this.#at(permit))
  }

  #changesOf(block: number): number {
    return Atomics.load(this.#words, WORDS_OF_UNIT * this.#units + block)
  }

  #changed(permit: number): void {
    Atomics.add(this.#words, WORDS_OF_UNIT * this.#units + Math.floor(permit / BLOCK), 1)
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
