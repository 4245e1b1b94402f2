import type { Duplex } from 'node:stream'
import { FrameScanner } from './frame-scanner.ts'

/** Below it, less is saved than spent. */
const WORTH_FREEING = 8_192

/**
 * Gives the memory of a chunk back now. It lies outside of the heap, and its size alone would make the collector go
 * through the whole heap for every 64 MB or so that are relayed, which costs more than relaying them.
 */
function freeMemoryOf({ buffer, length }: Buffer): void {
  // A part of something larger is not ours alone.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0)
}

/** What happens in a lane that others need to know. */
export interface LaneEvents {
  /** Bytes came from the source. */
  came(): void
  /** The sink takes no more for now, and the source has to wait. */
  blocked(): void
  flows(): void
  /** The source has sent its close frame, which was not relayed: ours had gone before. */
  parted(): void
}

/** One direction of a relayed connection, at the pace of the slower side, with room for frames of our own between frames. */
export class Lane {
  readonly source: Duplex
  readonly sink: Duplex
  readonly #events: LaneEvents
  readonly #scanner = new FrameScanner()
  #pending: Buffer[] = []
  #last: Buffer | null = null
  #finished = false

  constructor(source: Duplex, sink: Duplex, events: LaneEvents) {
    this.source = source
    this.sink = sink
    this.#events = events
  }

  /** Whether our close frame was the last the sink gets. */
  get isFinished(): boolean {
    return this.#finished
  }

  /** Relays; `early` is what the source had sent before. */
  start(early: Buffer): void {
    if (early.length > 0) this.#take(early)
    this.source.on('data', (chunk: Buffer) => this.#take(chunk))
    this.source.on('end', () => this.#end())
    this.sink.on('drain', () => {
      this.#events.flows()
      this.source.resume()
    })
    if (!this.sink.writableNeedDrain) this.source.resume()
  }

  /** Sends a frame as soon as no other is under way; says whether that is now. */
  inject(frame: Buffer): boolean {
    if (this.#finished || this.#last !== null || this.#scanner.hasClosed || !this.sink.writable) return false
    if (!this.#scanner.isBetweenFrames) {
      // One is enough: they are all pings.
      this.#pending = [frame]
      return false
    }
    this.sink.write(frame)
    return true
  }

  /** Sends a close frame as soon as no other is under way, and nothing of the source after it (RFC 6455 section 5.5.1). */
  finish(frame: Buffer): void {
    if (this.#finished || this.#last !== null || this.#scanner.hasClosed) return
    this.#pending = []
    this.#last = frame
    if (this.#scanner.isBetweenFrames) this.#sendPending()
  }

  #take(chunk: Buffer): void {
    this.#events.came()
    let sent = 0
    if (this.#hasPending) {
      sent = this.#scanner.advance(chunk, 0)
      this.#send(chunk.subarray(0, sent))
      if (this.#scanner.isBetweenFrames) this.#sendPending()
    }
    for (let at = sent; at < chunk.length; ) at = this.#scanner.advance(chunk, at)
    if (sent < chunk.length) this.#send(sent === 0 ? chunk : chunk.subarray(sent))
    if (this.#finished && this.#scanner.hasClosed) this.#events.parted()
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
    // From now on the source is read only for its farewell, whatever the sink takes.
    if (this.#finished) this.source.resume()
  }

  #send(bytes: Buffer): void {
    if (this.#finished || !this.sink.writable) return
    const flows =
      bytes.length < WORTH_FREEING ? this.sink.write(bytes) : this.sink.write(bytes, () => freeMemoryOf(bytes))
    if (flows) return
    this.#events.blocked()
    this.source.pause()
  }

  #end(): void {
    if (this.sink.writable) this.sink.end()
  }
}
