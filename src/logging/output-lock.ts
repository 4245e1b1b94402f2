/** Attempts before the lock counts as busy: a write takes a microsecond or two. */
const SPINS = 200

/**
 * Serializes the writes of threads to one descriptor. Held during a system call, or while a line is partially written
 * because its reader does not read, or the disk is full.
 */
export class OutputLock {
  readonly memory: SharedArrayBuffer
  readonly #owner: Int32Array
  readonly #me: number

  /** `me` is a positive number of the thread; `memory` is that of the lock of another thread of the process. */
  constructor(me: number, memory: SharedArrayBuffer = new SharedArrayBuffer(4)) {
    this.memory = memory
    this.#owner = new Int32Array(memory)
    this.#me = me
  }

  /** Acquires the lock; true also if this thread has it already. */
  acquire(): boolean {
    for (let spin = 0; spin < SPINS; spin++) {
      const owner = Atomics.compareExchange(this.#owner, 0, 0, this.#me)
      if (owner === 0 || owner === this.#me) return true
    }
    return false
  }

  /** Whether no other thread has the lock. */
  get isFree(): boolean {
    const owner = Atomics.load(this.#owner, 0)
    return owner === 0 || owner === this.#me
  }

  release(): void {
    Atomics.compareExchange(this.#owner, 0, this.#me, 0)
  }

  /** Releases the lock of a thread that ended while it held it. */
  inherit(thread: number): boolean {
    return Atomics.compareExchange(this.#owner, 0, thread, this.#me) === thread
  }
}
