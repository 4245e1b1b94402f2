import { LOCAL_LIMITS, type QueuedRecord, sizeOf, type Transport } from '#durable-queue'
import { LinesNotWritten, standardOutput } from '#logging'
import { lineBytes } from '#trail'

/** Where lines go; standard output by default. */
type Output = Pick<ReturnType<typeof standardOutput>, 'send'>

/** Records of a failed call, of which so many were begun. */
interface FailedCall {
  readonly records: readonly QueuedRecord[]
  readonly begun: number
}

/**
 * Writes records as lines to standard output, between those of the log, and without blocking. They are accepted when the pipe or
 * file has their bytes. The text of a record is a whole line.
 */
export function openStdout(output: Output = standardOutput()): Transport {
  let failed: FailedCall | null = null
  return {
    batchLimits: LOCAL_LIMITS,
    async send(records, signal) {
      // Lines that were begun are not written again; the output writes the rest of the last one before these.
      const from = failed !== null && isSame(failed.records, records) ? failed.begun : 0
      failed = null
      try {
        await output.send(lineBytes(records.slice(from), '\n'), signal)
      } catch (error) {
        if (error instanceof LinesNotWritten) failed = { records, begun: endOf(records, from, error.begun) }
        throw error
      }
    },
    close: () => Promise.resolve(),
  }
}

/** Index after the records whose lines have so many bytes. */
function endOf(records: readonly QueuedRecord[], from: number, bytes: number): number {
  let left = bytes
  let at = from
  for (; left > 0; at++) left -= sizeOf(records[at]!) + 1
  return at
}

function isSame(before: readonly QueuedRecord[], now: readonly QueuedRecord[]): boolean {
  return before.length === now.length && before.every(({ id }, at) => id === now[at]?.id)
}
