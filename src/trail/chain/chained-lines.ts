import type { FileLine } from '../files/lines.ts'
import { lineDigest } from './chain.ts'
import { JSON_CHAIN } from './chain-line.ts'

/**
 * The lines of a chain in a JSON file, some at a time. Others are left out, since no signature covers them: lines without a place in the chain,
 * those that the next record names as no part of it, and text without a line end. A forged line of the
 * form of the chain is found by a verification.
 */
export class ChainedLines {
  /** The next line may be the record that names it. */
  #held: FileLine | null = null

  take(lines: readonly FileLine[]): FileLine[] {
    const found: FileLine[] = []
    for (const line of lines) {
      const parsed = line.isWhole && !line.isTooLong ? JSON_CHAIN.parse(line.bytes.toString('latin1')) : null
      const skipped = parsed?.record?.skipped
      if (this.#held !== null && (skipped === undefined || skipped !== lineDigest(this.#held.bytes))) {
        found.push(this.#held)
      }
      this.#held = parsed === null ? null : line
    }
    return found
  }

  /** The last line of the file. */
  rest(): FileLine[] {
    return this.#held === null ? [] : [this.#held]
  }
}
