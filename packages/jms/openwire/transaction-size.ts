/** Bytes of the messages in one transaction, at most. */
const LARGEST = 128 * 1024
/** Below it messages are sent one by one. */
const SMALLEST = 4 * 1024

/**
 * The size of transactions of a producer. A broker never commits one that exceeds the memory of its destination: a failed
 * transaction makes the next ones smaller, in the end messages are sent one by one; accepted ones make them larger.
 */
export class TransactionSize {
  #bytes = LARGEST

  /** Zero for no transactions. */
  get bytes(): number {
    return this.#bytes < SMALLEST ? 0 : this.#bytes
  }

  failed(): void {
    this.#bytes = Math.max(SMALLEST / 4, this.#bytes / 8)
  }

  accepted(): void {
    this.#bytes = Math.min(LARGEST, this.#bytes * 2)
  }
}
