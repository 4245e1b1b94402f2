import type { BodySink } from '#http'
import { type BodyOwner, ReceivedBody } from '../received-body.ts'
import { CHUNK_EXTENSIONS_OVERFLOW } from '../refusal.ts'
import { allowedTrailers } from '../trailers.ts'
import type { RequestMessage } from './request-message.ts'

// Limit of chunk extensions in a message (decisions, chunk extensions); the parser has one for each chunk (threats B24).
const MAX_EXTENSIONS = 16_384
// A chunk size of up to eight digits, and two line ends.
const FRAMING_PER_CHUNK = 12
// Bytes that may have been read but not parsed when a check runs within a read.
const MAX_UNPARSED = 65_536

/** The body of a request in HTTP/1.1, with back-pressure on the socket. */
export class MessageBody extends ReceivedBody {
  readonly #message: RequestMessage
  readonly #framing: 'chunked' | 'length'
  readonly #bytesReadBefore: number

  constructor(message: RequestMessage, owner: BodyOwner, framing: 'chunked' | 'length') {
    super(message, owner)
    this.#message = message
    this.#framing = framing
    this.#bytesReadBefore = message.socket.bytesRead
    if (framing === 'chunked') message.onProgress = (isParsed) => this.#checkExtensions(isParsed)
  }

  takeIfComplete(length: number): Uint8Array | null {
    // Chunks can have trailers; a client that waits for 100 Continue has sent nothing.
    if (this.#framing === 'chunked' || this.owner.expectsContinue || this.hasFailed) return null
    if (this.#message.readableLength !== length || length > this.maxBytes) return null
    const bytes = this.#message.read() as Buffer | null
    // Only the end is left, which Node needs before the next request.
    this.#message.resume()
    return bytes
  }

  override start(sink: BodySink): void {
    super.start(sink)
    this.#message.on('error', (error) => this.fail(error))
  }

  protected override finish(sink: BodySink): void {
    if (this.#message.complete) sink.end(allowedTrailers(this.#message.rawTrailers, this.owner.context.fields))
    else sink.fail(new Error('the client closed the connection within the request body'))
  }

  #checkExtensions(isParsed: boolean): void {
    const { socket, contentBytes, pieces } = this.#message
    const parsed = socket.bytesRead - this.#bytesReadBefore - (isParsed ? 0 : MAX_UNPARSED)
    if (parsed - contentBytes - pieces * FRAMING_PER_CHUNK <= MAX_EXTENSIONS) return
    this.#message.onProgress = null
    this.owner.refuseBody(CHUNK_EXTENSIONS_OVERFLOW, new Error('too many chunk extensions'))
  }
}
