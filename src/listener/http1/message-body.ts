import { type BodyOwner, ReceivedBody } from '../received-body.ts'
import { allowedTrailers } from '../trailers.ts'

/** Bytes that are retained for a reader that has not started; beyond them the connection is not read. */
const MAX_RETAINED = 65_536

/** The connection of a body. */
interface BodyInput {
  /** Parses further bytes of the body. */
  readBody(): void
}

/** The body of a request in HTTP/1.1, with back-pressure on the parser and so on the socket. */
export class MessageBody extends ReceivedBody {
  readonly #input: BodyInput
  readonly #isChunked: boolean
  #retained: Buffer[] = []
  #retainedBytes = 0
  #isStarted = false
  #isPaused = false
  #isDiscarded = false
  /** Of the complete body. */
  #trailers: readonly string[] | null = null

  constructor(input: BodyInput, owner: BodyOwner, isChunked: boolean) {
    super(owner)
    this.#input = input
    this.#isChunked = isChunked
  }

  /** Whether the parser has to wait. */
  override get isPaused(): boolean {
    return this.#isPaused
  }

  takeIfComplete(length: number): Uint8Array | null {
    // Chunks can have trailers.
    if (this.#isChunked || this.#trailers === null || this.hasFailed) return null
    if (this.#retainedBytes !== length || length > this.maxBytes) return null
    return this.#takeRetained()
  }

  resume(): void {
    this.#isPaused = false
    this.#deliver()
    if (!this.#isPaused) this.#input.readBody()
  }

  /** From the parser. */
  push(piece: Buffer): void {
    if (this.#isDiscarded) return
    if (this.#isStarted && !this.#isPaused) {
      this.receive(piece)
      return
    }
    this.#retained.push(piece)
    this.#retainedBytes += piece.length
    if (this.#retainedBytes >= MAX_RETAINED) this.#isPaused = true
  }

  /** From the parser, at the end of the message. */
  complete(trailers: readonly string[]): void {
    this.#trailers = trailers
    if (this.#isStarted && this.#retained.length === 0) this.#end()
  }

  /** The response is complete: the rest is received, so that the next request can be, and dropped. */
  discard(): void {
    this.#isDiscarded = true
    this.#isPaused = false
    this.#retained = []
    this.#retainedBytes = 0
  }

  protected override begin(): void {
    this.#isStarted = true
    this.resume()
  }

  protected override pause(): void {
    this.#isPaused = !this.#isDiscarded
  }

  #deliver(): void {
    if (this.#retained.length > 0) this.receive(this.#takeRetained())
    if (this.#trailers !== null) this.#end()
  }

  #takeRetained(): Buffer {
    const pieces = this.#retained
    this.#retained = []
    this.#retainedBytes = 0
    return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
  }

  #end(): void {
    this.release()?.end(allowedTrailers(this.#trailers ?? [], this.owner.context.fields))
  }
}
