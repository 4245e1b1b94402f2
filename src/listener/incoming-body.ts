import type { BodySink } from '#http'
import { ReceivedBody, type Reception } from './received-body.ts'
import type { ReceivedMessage } from './received-message.ts'
import { allowedTrailers } from './trailers.ts'

// Chunk extensions may take so much of a message (decisions, chunk extensions); the parser bounds them for each chunk only
// (threats B24).
const maxExtensions = 16_384
// What a chunk takes beside its content: a size of up to eight digits, and two line ends.
const framingPerChunk = 12
// Bytes that may have been read and not yet parsed while a message is looked at within a read.
const maxUnparsed = 65_536

/** What surrounds the body of a request of HTTP/1. */
export interface MessageReception extends Reception {
  readonly framing: 'chunked' | 'length'
  /** Runs when the framing shows that the client does not mean to send a body. */
  readonly onAbuse: (error: Error) => void
}

/** The body of a request of HTTP/1, read from the socket only as fast as it is taken. */
export class IncomingBody extends ReceivedBody {
  readonly #message: ReceivedMessage
  readonly #reception: MessageReception
  readonly #bytesReadBefore: number

  constructor(message: ReceivedMessage, reception: MessageReception) {
    super(message, reception)
    this.#message = message
    this.#reception = reception
    this.#bytesReadBefore = message.socket.bytesRead
    if (reception.framing === 'chunked') message.onProgress = (whole) => this.#checkExtensions(whole)
  }

  arrived(length: number): Uint8Array | null {
    const { framing, maxBytes, onFirstRead } = this.#reception
    // Chunks can have trailers; and a client that was told to wait for 100 Continue is to be told to go on.
    if (framing === 'chunked' || onFirstRead !== null || this.isOver) return null
    if (this.#message.readableLength !== length || length > maxBytes) return null
    const bytes = this.#message.read() as Buffer | null
    // What is left is the end, which Node waits for before it goes on to the next request.
    this.#message.resume()
    return bytes
  }

  override start(sink: BodySink): void {
    super.start(sink)
    this.#message.on('error', (error) => this.fail(error))
  }

  protected override finish(sink: BodySink): void {
    if (this.#message.complete) sink.end(allowedTrailers(this.#message.rawTrailers, this.#reception.fields))
    else sink.fail(new Error('the client closed the connection in the middle of the request body'))
  }

  #checkExtensions(whole: boolean): void {
    const { socket, contentBytes, pieces } = this.#message
    const parsed = socket.bytesRead - this.#bytesReadBefore - (whole ? 0 : maxUnparsed)
    if (parsed - contentBytes - pieces * framingPerChunk <= maxExtensions) return
    this.#message.onProgress = null
    this.#reception.onAbuse(
      Object.assign(new Error('too many chunk extensions'), { code: 'HPE_CHUNK_EXTENSIONS_OVERFLOW' }),
    )
  }
}
