import { standardOutput } from '#logging'
import { type AuditRecord, LOCAL_LIMITS, RecordRefused, sizeOf, type Transport } from '../../delivery/transport.ts'
import { lineBytes } from '../../files/line-bytes.ts'

/** The buffer of standard output is full: its reader is too slow, or does not read. */
const FULL = 'standard output is not read: its buffer is full'

/** Where lines go; standard output by default. */
type Output = ReturnType<typeof standardOutput>

/**
 * Writes records as lines to standard output, which never blocks. Lines beyond the buffer are repeated, so that the queue of the
 * handler bounds and counts them. The text of a record is a whole line.
 */
export function openStdout(output: Pick<Output, 'room' | 'writeLines'> = standardOutput()): Transport {
  /** Records of a failed call that are written: they are not written again when the call is repeated. */
  let partial: { readonly records: readonly AuditRecord[]; readonly written: number } | null = null
  return {
    batchLimits: LOCAL_LIMITS,
    async send(records) {
      let at = partial !== null && isSame(partial.records, records) ? partial.written : 0
      partial = null
      while (at < records.length) {
        const end = endWithin(records, at, output.room)
        if (end > at) {
          output.writeLines(lineBytes(records.slice(at, end), '\n'))
          at = end
          continue
        }
        const bytes = sizeOf(records[at]!) + 1
        if (bytes > MAX_LINE)
          throw new RecordRefused(at, `a line of ${bytes} bytes is over the buffer of standard output`)
        partial = { records, written: at }
        throw new Error(FULL)
      }
    },
    close: () => Promise.resolve(),
  }
}

/** Size of the whole buffer. */
const MAX_LINE = 1024 * 1024

/** Index after the records whose lines have so many bytes at most. */
function endWithin(records: readonly AuditRecord[], from: number, room: number): number {
  let left = room
  let at = from
  for (; at < records.length; at++) {
    left -= sizeOf(records[at]!) + 1
    if (left < 0) break
  }
  return at
}

function isSame(before: readonly AuditRecord[], now: readonly AuditRecord[]): boolean {
  return before.length === now.length && before.every(({ id }, at) => id === now[at]?.id)
}
