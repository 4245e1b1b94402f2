/** Sessions that are in memory at a time; a unit that has missed more forgets all sessions. */
const SLOTS = 1_024
/** Bytes of a digest (SHA-256). */
const DIGEST = 32
/** Indexes of Int32: the number of ended sessions, then the number of the session in each slot. */
const COUNT = 0
const NUMBERS = 1
const DIGESTS = (NUMBERS + SLOTS) * Int32Array.BYTES_PER_ELEMENT

const NONE: readonly string[] = []

/**
 * Digests of the sessions that units of this gateway have ended, for the caches of all of them: a ring in shared memory. A
 * notification of the access manager would come later, or never.
 */
export class EndedSessions {
  static readonly BYTES = DIGESTS + SLOTS * DIGEST
  readonly #numbers: Int32Array
  readonly #digests: Uint8Array
  /** Number of the next session that this unit reads. */
  #next: number

  constructor(memory: SharedArrayBuffer) {
    this.#numbers = new Int32Array(memory, 0, NUMBERS + SLOTS)
    this.#digests = new Uint8Array(memory, DIGESTS)
    this.#next = Atomics.load(this.#numbers, COUNT)
  }

  /** Adds the digest of a session token, in base64url. Call it when the access manager has ended the session. */
  add(digest: string): void {
    const number = Atomics.add(this.#numbers, COUNT, 1)
    const slot = slotOf(number)
    this.#digests.set(Buffer.from(digest, 'base64url'), slot * DIGEST)
    Atomics.store(this.#numbers, NUMBERS + slot, after(number))
  }

  /** Digests that were added since the last call; `everything` where they can not be read: overwritten, or not yet written. */
  take(): readonly string[] | 'everything' {
    const count = Atomics.load(this.#numbers, COUNT)
    if (count === this.#next) return NONE
    const first = this.#next
    this.#next = count
    // Half of the ring: writers may overwrite the older half while this is read.
    if (((count - first) | 0) > SLOTS / 2) return 'everything'
    const digests: string[] = []
    for (let number = first; number !== count; number = after(number)) {
      const slot = slotOf(number)
      if (Atomics.load(this.#numbers, NUMBERS + slot) !== after(number)) return 'everything'
      digests.push(Buffer.from(this.#digests.slice(slot * DIGEST, (slot + 1) * DIGEST)).toString('base64url'))
    }
    return digests
  }
}

function slotOf(number: number): number {
  return (number >>> 0) % SLOTS
}

function after(number: number): number {
  return (number + 1) | 0
}
