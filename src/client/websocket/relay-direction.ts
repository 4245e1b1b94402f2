import type { Duplex } from 'node:stream'
import { FrameScanner } from './frame-scanner.ts'

/** Smaller chunks are left to the garbage collector. */
const MIN_FREED_BYTES = 8_192

/**
 * Frees the memory of a chunk at once. External memory triggers a major collection for every 64 MB or so that are relayed,
 * which costs more than the relaying.
 */
function freeMemoryOf({ buffer, length }: Buffer): void {
  // A view of a larger buffer is shared.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0)
}

/** Events of a relay direction. */
interface RelayDirectionEvents {
  /** Bytes were received from the source. */
  received(): void
  /** Back-pressure: the source is paused until the sink drains. */
  paused(): void
  resumed(): void
  /** The source sent its close frame after ours to the sink; it is not relayed. */
  closeReceived(): void
  /** The source sends no more. */
  ended(): void
}

/** What became of a frame: `waiting` for the end of a relayed one, or impossible because nothing follows a Close frame or the end. */
export type Injection = 'sent' | 'waiting' | 'impossible'

/** One direction of a relayed connection with back-pressure; own frames are inserted between relayed ones. */
export class RelayDirection {
  readonly source: Duplex
  readonly sink: Duplex
  readonly #events: RelayDirectionEvents
  readonly #scanner = new FrameScanner()
  #pending: Buffer[] = []
  #last: Buffer | null = null
  #finished = false

  constructor(source: Duplex, sink: Duplex, events: RelayDirectionEvents) {
    this.source = source
    this.sink = sink
    this.#events = events
  }

  /** Whether our close frame was sent to the sink. */
  get isFinished(): boolean {
    return this.#finished
  }

  /** Whether a Close frame was relayed or sent. */
  get hasClosed(): boolean {
    return this.#finished || this.#scanner.hasClosed
  }

  /** Starts relaying, with the bytes `early` that the source has sent before. */
  start(early: Buffer): void {
    if (early.length > 0) this.#receive(early)
    this.source.on('data', (chunk: Buffer) => this.#receive(chunk))
    this.source.on('end', () => this.#end())
    this.sink.on('drain', () => {
      this.#events.resumed()
      this.source.resume()
    })
    if (!this.sink.writableNeedDrain) this.source.resume()
  }

  /** Sends a frame between two relayed ones. */
  inject(frame: Buffer): Injection {
    if (this.#finished || this.#last !== null || this.#scanner.hasClosed || !this.sink.writable) return 'impossible'
    if (!this.#scanner.isBetweenFrames) {
      // Only pings are injected, and one is enough.
      this.#pending = [frame]
      return 'waiting'
    }
    this.sink.write(frame)
    return 'sent'
  }

  /** Sends a close frame after the current one, and nothing after it (RFC 6455 section 5.5.1). */
  finish(frame: Buffer): void {
    if (this.#finished || this.#last !== null || this.#scanner.hasClosed) return
    this.#pending = []
    this.#last = frame
    if (this.#scanner.isBetweenFrames) this.#sendPending()
  }

  #receive(chunk: Buffer): void {
    this.#events.received()
    let sent = 0
    if (this.#hasPending) {
      sent = this.#scanner.advance(chunk, 0)
      this.#send(chunk.subarray(0, sent))
      if (this.#scanner.isBetweenFrames) this.#sendPending()
    }
    for (let at = sent; at < chunk.length; ) at = this.#scanner.advance(chunk, at)
    if (sent < chunk.length) this.#send(sent === 0 ? chunk : chunk.subarray(sent))
    if (this.#finished && this.#scanner.hasClosed) this.#events.closeReceived()
  }

  get #hasPending(): boolean {
    return this.#pending.length > 0 || this.#last !== null
  }

  #sendPending(): void {
    const frames = this.#last === null ? this.#pending : [this.#last]
    if (!this.#scanner.hasClosed) for (const frame of frames) if (this.sink.writable) this.sink.write(frame)
    this.#finished = this.#last !== null
    this.#pending = []
    this.#last = null
    // From now on the source is only read for its close frame.
    if (!this.#finished) return
    this.#events.resumed()
    this.source.resume()
  }

  #send(bytes: Buffer): void {
    if (this.#finished || !this.sink.writable) return
    const hasRoom =
      bytes.length < MIN_FREED_BYTES ? this.sink.write(bytes) : this.sink.write(bytes, () => freeMemoryOf(bytes))
    if (hasRoom) return
    this.#events.paused()
    this.source.pause()
  }

  #end(): void {
    this.#events.ended()
    if (this.sink.writable) this.sink.end()
  }
}
