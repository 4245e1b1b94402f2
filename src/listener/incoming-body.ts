import type { IncomingMessage } from 'node:http'
import type { BodySink } from '#http'
import { ReceivedBody, type Reception } from './received-body.ts'
import { allowedTrailers } from './trailers.ts'

// Framing may take so much of a chunked body, and so much more for each of its bytes: what is over it is chunk
// extensions (decisions, chunk extensions). The parser alone bounds them for each chunk only (threats B24).
const maxFraming = 16_384
const framingPerByte = 16

/** What surrounds the body of a request of HTTP/1. */
export interface MessageReception extends Reception {
  readonly framing: 'chunked' | 'length'
  /** Runs when the framing shows that the client does not mean to send a body. */
  readonly onAbuse: (error: Error) => void
}

/** The body of a request of HTTP/1, read from the socket only as fast as it is taken. */
export class IncomingBody extends ReceivedBody {
  readonly #message: IncomingMessage
  readonly #reception: MessageReception
  readonly #socketBytesBefore: number

  constructor(message: IncomingMessage, reception: MessageReception) {
    super(message, reception)
    this.#message = message
    this.#reception = reception
    this.#socketBytesBefore = message.socket.bytesRead
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

  protected override isAcceptable(): boolean {
    if (this.#reception.framing !== 'chunked' || !this.#hasTooMuchFraming()) return true
    this.#reception.onAbuse(
      Object.assign(new Error('too many chunk extensions'), { code: 'HPE_CHUNK_EXTENSIONS_OVERFLOW' }),
    )
    return false
  }

  protected override finish(sink: BodySink): void {
    if (this.#message.complete) sink.end(allowedTrailers(this.#message.rawTrailers))
    else sink.fail(new Error('the client closed the connection in the middle of the request body'))
  }

  #hasTooMuchFraming(): boolean {
    if (this.#message.complete) return false
    const content = this.received + this.#message.readableLength
    const raw = this.#message.socket.bytesRead - this.#socketBytesBefore
    return raw - content > maxFraming + framingPerByte * content
  }
}
