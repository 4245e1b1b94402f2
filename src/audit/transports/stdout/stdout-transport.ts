import { standardOutput } from '#logging'
import { type AuditRecord, RecordRefused, type Transport } from '../../delivery/transport.ts'

/** The buffer of standard output is full: its reader is too slow, or does not read. */
const FULL = 'standard output is not read: its buffer is full'

/** Where lines go; standard output by default. */
type Output = ReturnType<typeof standardOutput>

/**
 * Writes records as lines to standard output, which never blocks. Lines beyond the buffer are repeated, so that the queue of the
 * handler bounds and counts them. The text of a record is a whole line.
 */
export function openStdout(output: Pick<Output, 'write' | 'hasRoom'> = standardOutput()): Transport {
  /** Records of a failed call that are written: they are not written again when the call is repeated. */
  let partial: { readonly records: readonly AuditRecord[]; readonly written: number } | null = null
  return {
    async send(records) {
      let at = partial !== null && isSame(partial.records, records) ? partial.written : 0
      partial = null
      for (; at < records.length; at++) {
        const line = `${records[at]?.text}\n`
        const bytes = Buffer.byteLength(line)
        if (!output.hasRoom(bytes)) {
          if (bytes > MAX_LINE)
            throw new RecordRefused(at, `a line of ${bytes} bytes is over the buffer of standard output`)
          partial = { records, written: at }
          throw new Error(FULL)
        }
        output.write(line)
      }
    },
    close: () => Promise.resolve(),
  }
}

/** Size of the whole buffer. */
const MAX_LINE = 1024 * 1024

function isSame(before: readonly AuditRecord[], now: readonly AuditRecord[]): boolean {
  return before.length === now.length && before.every(({ id }, at) => id === now[at]?.id)
}
