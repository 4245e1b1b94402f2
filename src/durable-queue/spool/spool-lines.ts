import type { QueuedRecord } from '../delivery/transport.ts'
import { isPlain, plainLineSize, spoolLine, writePlainLine } from './spool-line.ts'

const EMPTY: Buffer = Buffer.alloc(0)
/** A larger buffer is not kept. */
const MAX_KEPT = 2 * 1024 * 1024
/** Bytes of UTF-8 for a UTF-16 code unit. */
const MAX_BYTES = 3

/** Encodes records as lines of a segment, in memory that is used again by the next call. */
export class SpoolLines {
  #buffer = EMPTY

  encode(records: readonly QueuedRecord[]): Buffer {
    let at = 0
    for (const record of records) {
      const { encoded } = record
      if (encoded !== undefined && isPlain(record, encoded)) {
        this.#makeRoom(at, plainLineSize(record, encoded))
        at = writePlainLine(this.#buffer, at, record, encoded)
      } else {
        const line = spoolLine(record)
        this.#makeRoom(at, line.length * MAX_BYTES)
        at += this.#buffer.write(line, at)
      }
    }
    const lines = this.#buffer.subarray(0, at)
    if (this.#buffer.length > MAX_KEPT) this.#buffer = EMPTY
    return lines
  }

  #makeRoom(at: number, bytes: number): void {
    if (at + bytes <= this.#buffer.length) return
    const larger = Buffer.allocUnsafeSlow(2 * (at + bytes))
    this.#buffer.copy(larger, 0, 0, at)
    this.#buffer = larger
  }
}
