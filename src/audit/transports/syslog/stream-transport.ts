import type { QueuedRecord, Transport, TransportEnv } from '#durable-queue'
import { within } from '../within.ts'
import { openStream, type StreamConnection } from './stream-connection.ts'
import type { SyslogPlan } from './syslog-plan.ts'

/** Bytes that are written at once; each piece must be sent within `sendTimeout`. */
const PIECE_BYTES = 65_536
/**
 * Milliseconds after a batch in which the end of the connection means that the batch may be lost: it is sent again, and the next
 * connection must stay open for as long before records count as accepted.
 */
const CONFIRMATION_TIME = 500
/** Records in batches that may have to be sent again. */
const MAX_UNCONFIRMED = 10_000

/**
 * Sends records in one stream with octet counting (RFC 6587, 3.4.1; RFC 5425, 4.3). Syslog has no acknowledgement: records count
 * as accepted when the kernel has taken all bytes and the receiver has neither closed nor reset the connection.
 */
export class StreamTransport implements Transport {
  readonly #plan: SyslogPlan
  readonly #env: TransportEnv
  #connection: StreamConnection | null = null
  /** The batches that were written on this connection, the last one and those within the confirmation time before it. */
  #unconfirmed: { readonly records: readonly QueuedRecord[]; readonly writtenAt: number }[] = []
  /** Records that counted as accepted, but may be lost. */
  #doubtful: readonly QueuedRecord[] = []

  constructor(plan: SyslogPlan, env: TransportEnv) {
    this.#plan = plan
    this.#env = env
  }

  async send(records: readonly QueuedRecord[], signal: AbortSignal): Promise<void> {
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
      this.#remember(records)
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

  #remember(records: readonly QueuedRecord[]): void {
    const writtenAt = this.#env.clock.monotonic()
    this.#unconfirmed.push({ records, writtenAt })
    let count = this.#unconfirmed.reduce((sum, batch) => sum + batch.records.length, 0)
    for (let [oldest] = this.#unconfirmed; this.#unconfirmed.length > 1; [oldest] = this.#unconfirmed) {
      if (oldest === undefined || (writtenAt - oldest.writtenAt < CONFIRMATION_TIME && count <= MAX_UNCONFIRMED)) return
      this.#unconfirmed.shift()
      count -= oldest.records.length
    }
  }

  /** Batches that were written less than `doubt` milliseconds ago are sent again. */
  #abandon(connection: StreamConnection, doubt: number): void {
    if (connection !== this.#connection) return
    this.#connection = null
    connection.destroy()
    const now = this.#env.clock.monotonic()
    const doubtful = this.#unconfirmed.filter(({ writtenAt }) => now - writtenAt < doubt)
    this.#unconfirmed = []
    if (doubtful.length > 0) this.#doubtful = doubtful.flatMap(({ records }) => records)
  }
}

/** The messages with their lengths, in pieces of whole messages. */
function* framed(records: readonly QueuedRecord[]): Generator<Buffer> {
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
