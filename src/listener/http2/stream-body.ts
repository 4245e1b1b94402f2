import type { ServerHttp2Stream } from 'node:http2'
import { type BodyOwner, ReceivedBody } from '../received-body.ts'
import { allowedTrailers } from '../trailers.ts'
import { atReadEnd, type ReadEndReceiver } from './read-end.ts'
import { SmallPieces } from './small-pieces.ts'

/** Counts the bytes of request bodies on one connection. */
export interface BodyByteCounter {
  /** Called for each DATA frame with content. */
  countBodyBytes(count: number): void
}

/** The request body of a stream of HTTP/2. */
export class StreamBody extends ReceivedBody implements ReadEndReceiver {
  readonly #stream: ServerHttp2Stream
  readonly #counter: BodyByteCounter
  readonly #small = new SmallPieces((bytes) => this.receive(bytes))
  #waits = false
  #trailers: readonly string[] = []

  constructor(stream: ServerHttp2Stream, owner: BodyOwner, counter: BodyByteCounter) {
    super(owner)
    this.#stream = stream
    this.#counter = counter
    // The flat list is the third argument; Node's types lack it.
    stream.once('trailers', ((_fields: unknown, _flags: unknown, raw: string[] | undefined) => {
      this.#trailers = raw ?? []
    }) as () => void)
  }

  resume(): void {
    this.#stream.resume()
  }

  onReadEnd(): void {
    this.#waits = false
    this.#small.flush()
  }

  protected override begin(): void {
    const stream = this.#stream
    // The part that has arrived leaves with the head of the upstream request: `data` would follow in a later turn.
    const chunk = stream.readableLength === 0 ? null : (stream.read() as Buffer | null)
    if (chunk !== null) {
      this.#counter.countBodyBytes(chunk.length)
      this.receive(chunk)
    }
    const isPaused = chunk !== null && stream.isPaused()
    stream.on('data', (piece: Buffer) => this.#onData(piece))
    stream.on('end', () => this.#onEnd())
    if (!isPaused) stream.resume()
  }

  protected override pause(): void {
    this.#stream.pause()
  }

  protected override get isPaused(): boolean {
    return this.#stream.isPaused()
  }

  #onData(chunk: Buffer): void {
    this.#counter.countBodyBytes(chunk.length)
    this.#small.add(chunk)
    if (this.#waits || this.#small.isEmpty) return
    this.#waits = true
    atReadEnd(this)
  }

  /** Node also emits `end` for a stream that was reset. */
  #onEnd(): void {
    this.#small.flush()
    const sink = this.release()
    if (sink === null) return
    const { aborted, rstCode } = this.#stream
    if (aborted || (rstCode !== undefined && rstCode !== 0)) sink.fail(new Error('the client reset the stream'))
    else sink.end(allowedTrailers(this.#trailers, this.owner.context.fields))
  }
}
