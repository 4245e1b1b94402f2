/** Layout of the memory of all journals, which units share: positions of 32-bit integers. */
export const JOURNAL_MEMORY = {
  /** 1 while none is written. */
  paused: 0,
  /** Number of the service that writes to its journal; 0 for none. */
  writer: 1,
  bytes: 8,
} as const

const { paused, writer } = JOURNAL_MEMORY

/** Milliseconds of one write after which a disk is too slow to be written to by the thread of the traffic. */
export const MAX_WRITE_TIME = 250

/**
 * Lets one unit at a time write to its journal, and none while the disk is known to be slow: where it hangs, one unit hangs with it, and
 * neither the others nor its successor. In memory that all units share.
 */
export class JournalGate {
  readonly #memory: Int32Array
  /** Number of the service that writes, which no other one has. */
  readonly #owner: number

  constructor(memory: SharedArrayBuffer, owner: number) {
    this.#memory = new Int32Array(memory)
    this.#owner = owner
  }

  /** Whether journals are written. */
  get isOpen(): boolean {
    return Atomics.load(this.#memory, paused) === 0
  }

  /** Waits while another unit writes, for as long as a write may take. `late`: it took longer. */
  enter(): 'entered' | 'paused' | 'late' {
    let end = 0
    while (this.isOpen) {
      const holder = Atomics.compareExchange(this.#memory, writer, 0, this.#owner)
      if (holder === 0) return 'entered'
      const now = performance.now()
      end ||= now + MAX_WRITE_TIME
      const rest = end - now
      if (rest <= 0) return 'late'
      Atomics.wait(this.#memory, writer, holder, rest)
    }
    return 'paused'
  }

  /** The write has ended. */
  leave(): void {
    // A unit that was given up while it wrote is no longer the one that writes.
    Atomics.compareExchange(this.#memory, writer, this.#owner, 0)
    Atomics.notify(this.#memory, writer)
  }

  /** No journal is written until the control thread resumes them. */
  pause(): void {
    Atomics.store(this.#memory, paused, 1)
  }

  resume(): void {
    Atomics.store(this.#memory, paused, 0)
  }

  /** Whether this service is the one that writes. */
  get isWriting(): boolean {
    return Atomics.load(this.#memory, writer) === this.#owner
  }
}
