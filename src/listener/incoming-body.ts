import type { IncomingMessage } from 'node:http'
import { type BodySink, type BodySource, BodyTooLargeError } from '#http'
import { allowedTrailers } from './trailers.ts'

// Framing may take so much of a chunked body, and so much more for each of its bytes: what is over it is chunk
// extensions (decisions, chunk extensions). The parser alone bounds them for each chunk only (threats B24).
const maxFraming = 16_384
const framingPerByte = 16

/** What surrounds a request body. */
export interface Reception {
  readonly maxBytes: number
  readonly framing: 'chunked' | 'length'
  /** Runs when the body is first asked for, if the client waits for 100 Continue. */
  readonly onFirstRead: (() => void) | null
  /** Runs when the framing shows that the client does not mean to send a body. */
  readonly onAbuse: (error: Error) => void
}

/** The request body, read from the socket only as fast as it is taken. */
export class IncomingBody implements BodySource {
  readonly #message: IncomingMessage
  readonly #reception: Reception
  readonly #socketBytesBefore: number
  #sink: BodySink | null = null
  #received = 0
  #over: Error | null = null

  constructor(message: IncomingMessage, reception: Reception) {
    this.#message = message
    this.#reception = reception
    this.#socketBytesBefore = message.socket.bytesRead
  }

  arrived(length: number): Uint8Array | null {
    const { framing, maxBytes, onFirstRead } = this.#reception
    // Chunks can have trailers; and a client that was told to wait for 100 Continue is to be told to go on.
    if (framing === 'chunked' || onFirstRead !== null || this.#over !== null) return null
    if (this.#message.readableLength !== length || length > maxBytes) return null
    const bytes = this.#message.read() as Buffer | null
    // What is left is the end, which Node waits for before it goes on to the next request.
    this.#message.resume()
    return bytes
  }

  start(sink: BodySink): void {
    if (this.#over !== null) {
      sink.fail(this.#over)
      return
    }
    this.#sink = sink
    this.#reception.onFirstRead?.()
    this.#message.on('data', (chunk: Buffer) => this.#take(chunk))
    this.#message.on('end', () => this.#end())
    this.#message.on('error', (error) => this.fail(error))
  }

  resume(): void {
    this.#message.resume()
  }

  cancel(reason?: Error): void {
    this.#over ??= reason ?? new Error('the request body was given up')
    this.#sink = null
    this.#message.pause()
  }

  /** Ends the body as broken: the client went away, or sent what is not HTTP. */
  fail(error: Error): void {
    this.#over ??= error
    const sink = this.#sink
    this.#sink = null
    sink?.fail(error)
  }

  #take(chunk: Buffer): void {
    if (this.#sink === null) return
    this.#received += chunk.length
    const { maxBytes, framing, onAbuse } = this.#reception
    if (this.#received > maxBytes) {
      this.#message.pause()
      this.fail(new BodyTooLargeError(maxBytes))
      return
    }
    if (framing === 'chunked' && this.#hasTooMuchFraming()) {
      onAbuse(Object.assign(new Error('too many chunk extensions'), { code: 'HPE_CHUNK_EXTENSIONS_OVERFLOW' }))
      return
    }
    try {
      if (!this.#sink.write(chunk)) this.#message.pause()
    } catch (error) {
      // Thrown from an event of the socket, it would end the process.
      this.#message.pause()
      this.fail(error instanceof Error ? error : new Error(String(error)))
    }
  }

  #hasTooMuchFraming(): boolean {
    if (this.#message.complete) return false
    const content = this.#received + this.#message.readableLength
    const raw = this.#message.socket.bytesRead - this.#socketBytesBefore
    return raw - content > maxFraming + framingPerByte * content
  }

  #end(): void {
    const sink = this.#sink
    this.#sink = null
    if (sink === null) return
    // A body that was cut short also ends; it must never pass for a whole one.
    if (this.#message.complete) sink.end(allowedTrailers(this.#message.rawTrailers))
    else sink.fail(new Error('the client closed the connection in the middle of the request body'))
  }
}
