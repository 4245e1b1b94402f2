import type { ServerHttp2Stream } from 'node:http2'
import type { BodySink } from '#http'
import { atReadEnd, type ReadEndReceiver } from '../read-end.ts'
import { type BodyOwner, ReceivedBody } from '../received-body.ts'
import { SmallPieces } from '../small-pieces.ts'
import { allowedTrailers } from '../trailers.ts'

/** Counts the bytes of request bodies on one connection. */
export interface BodyByteCounter {
  /** Called for each DATA frame with content. */
  countBodyBytes(count: number): void
}

/** The request body of a stream of HTTP/2. */
export class StreamBody extends ReceivedBody implements ReadEndReceiver {
  readonly #stream: ServerHttp2Stream
  readonly #counter: BodyByteCounter
  readonly #small = new SmallPieces((bytes) => {
    this.receive(bytes)
    return true
  })
  #waits = false
  #trailers: readonly string[] = []

  constructor(stream: ServerHttp2Stream, owner: BodyOwner, counter: BodyByteCounter) {
    super(stream, owner)
    this.#stream = stream
    this.#counter = counter
    // The flat list is the third argument; Node's types lack it.
    stream.once('trailers', ((_fields: unknown, _flags: unknown, raw: string[] | undefined) => {
      this.#trailers = raw ?? []
    }) as () => void)
  }

  protected override onBytes(bytes: number): void {
    this.#counter.countBodyBytes(bytes)
  }

  protected override onData(chunk: Buffer): void {
    this.onBytes(chunk.length)
    this.#small.add(chunk)
    if (this.#waits || this.#small.isEmpty) return
    this.#waits = true
    atReadEnd(this)
  }

  onReadEnd(): void {
    this.#waits = false
    this.#small.flush()
  }

  protected override flush(): void {
    this.#small.flush()
  }

  protected override finish(sink: BodySink): void {
    // Node also emits `end` for a stream that was reset.
    const { aborted, rstCode } = this.#stream
    if (aborted || (rstCode !== undefined && rstCode !== 0)) sink.fail(new Error('the client reset the stream'))
    else sink.end(allowedTrailers(this.#trailers, this.owner.context.fields))
  }
}
