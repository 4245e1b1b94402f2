import type { AuditRecord, Transport, TransportEnv } from '../../delivery/transport.ts'
import { within } from '../within.ts'
import { openStream, type StreamConnection } from './stream-connection.ts'
import type { SyslogPlan } from './syslog-plan.ts'

/** Bytes that are written at once; each piece must be taken within `sendTimeout`. */
const PIECE_BYTES = 65_536
/**
 * Milliseconds after a batch in which the end of the connection means that the batch may be lost: it is sent again, and the next
 * connection must stay open for as long before records count as accepted.
 */
const CONFIRMATION_TIME = 500

/**
 * Sends records in one stream with octet counting (RFC 6587, 3.4.1; RFC 5425, 4.3). Syslog has no acknowledgement: records count
 * as accepted when the kernel has taken all bytes and the receiver has neither closed nor reset the connection.
 */
export class StreamTransport implements Transport {
  readonly #plan: SyslogPlan
  readonly #env: TransportEnv
  #connection: StreamConnection | null = null
  /** The batch that was written last on this connection. */
  #last: { readonly records: readonly AuditRecord[]; readonly writtenAt: number } | null = null
  /** Records that counted as accepted, but may be lost. */
  #doubtful: readonly AuditRecord[] = []

  constructor(plan: SyslogPlan, env: TransportEnv) {
    this.#plan = plan
    this.#env = env
  }

  async send(records: readonly AuditRecord[], signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    try {
      const connection = await this.#usable(signal)
      const isRepeated = this.#doubtful.length > 0
      const batch = isRepeated ? [...this.#doubtful, ...records] : records
      for (const piece of framed(batch)) {
        await within(this.#plan.sendTimeout, signal, 'the receiver took no bytes', connection.write(piece))
      }
      if (isRepeated) {
        const open = connection.staysOpen(CONFIRMATION_TIME)
        await within(2 * CONFIRMATION_TIME, signal, 'the connection was not confirmed', open)
        this.#doubtful = []
      } else {
        await connection.checkOpen()
      }
      this.#last = { records, writtenAt: this.#env.clock.monotonic() }
    } catch (error) {
      if (this.#connection !== null) this.#abandon(this.#connection, Number.POSITIVE_INFINITY)
      throw error
    }
  }

  async close(): Promise<void> {
    const connection = this.#connection
    this.#connection = null
    await connection?.end()
  }

  async #usable(signal: AbortSignal): Promise<StreamConnection> {
    // The connection may have been closed since the last batch: the end of the stream is read before anything is written.
    await this.#connection?.checkOpen().catch(() => {})
    this.#connection ??= await openStream(this.#plan, signal, (closed) => this.#abandon(closed, CONFIRMATION_TIME))
    return this.#connection
  }

  /** The batch that was written last is sent again if it is younger than `doubt` milliseconds. */
  #abandon(connection: StreamConnection, doubt: number): void {
    if (connection !== this.#connection) return
    this.#connection = null
    connection.destroy()
    if (this.#last === null) return
    const { records, writtenAt } = this.#last
    this.#last = null
    if (this.#env.clock.monotonic() - writtenAt < doubt) this.#doubtful = records
  }
}

/** The messages with their lengths, in pieces of whole messages. */
function* framed(records: readonly AuditRecord[]): Generator<Buffer> {
  let frames: Buffer[] = []
  let bytes = 0
  for (const { text } of records) {
    const message = Buffer.from(text)
    const length = Buffer.from(`${message.length} `)
    if (bytes > 0 && bytes + length.length + message.length > PIECE_BYTES) {
      yield Buffer.concat(frames)
      frames = []
      bytes = 0
    }
    frames.push(length, message)
    bytes += length.length + message.length
  }
  if (bytes > 0) yield Buffer.concat(frames)
}
