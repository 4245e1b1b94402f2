import { type AuditRecord, RecordRefused, type Transport } from './delivery/transport.ts'
import { MAX_LINE_BYTES } from './event.ts'

/** Destination of lines, such as a file. Rejects when it can not write. */
interface LineSink {
  append(lines: string): Promise<void>
}

/** Writes each record as a line. An unresponsive disk has one write at a time, also when the call that began it was aborted. */
export class TrailTransport implements Transport {
  readonly #sink: LineSink
  /** A write whose call was aborted, and its records. */
  #pending: { readonly records: readonly AuditRecord[]; readonly written: Promise<void> } | null = null

  constructor(sink: LineSink) {
    this.#sink = sink
  }

  async send(records: readonly AuditRecord[], signal: AbortSignal): Promise<void> {
    const tooLarge = records.findIndex(({ text }) => Buffer.byteLength(text) >= MAX_LINE_BYTES)
    if (tooLarge !== 0) await this.#write(records, tooLarge === -1 ? records.length : tooLarge, signal)
    if (tooLarge !== -1) throw new RecordRefused(tooLarge, `a line has ${MAX_LINE_BYTES} bytes at most`)
  }

  async close(): Promise<void> {}

  async #write(records: readonly AuditRecord[], count: number, signal: AbortSignal): Promise<void> {
    const pending = this.#pending
    if (pending !== null) {
      // The same records again: their write may still succeed.
      if (pending.records === records) return this.#finish(pending.written, signal)
      await this.#finish(pending.written, signal).catch(() => {})
      signal.throwIfAborted()
    }
    let lines = ''
    for (let n = 0; n < count; n++) lines += `${records[n]?.text}\n`
    const written = this.#sink.append(lines)
    this.#pending = { records, written }
    await this.#finish(written, signal)
  }

  /** Waits for a write, until the call is aborted. */
  async #finish(written: Promise<void>, signal: AbortSignal): Promise<void> {
    const { promise: aborted, reject } = Promise.withResolvers<never>()
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort)
    try {
      if (signal.aborted) abort()
      await Promise.race([written, aborted])
      this.#pending = null
    } catch (error) {
      if (!signal.aborted) this.#pending = null
      throw error
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }
}
