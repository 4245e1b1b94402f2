import type { ServerHttp2Stream } from 'node:http2'
import type { BodySink } from '#http'
import type { FieldKinds } from '../header-field.ts'
import { ReceivedBody, type Reception } from '../received-body.ts'
import { allowedTrailers } from '../trailers.ts'

/** What surrounds the body of a stream. */
export interface StreamReception extends Reception {
  /** Told how many bytes arrived. */
  readonly onBytes: (count: number) => void
}

/** The request body of a stream of HTTP/2. */
export class StreamBody extends ReceivedBody {
  readonly #stream: ServerHttp2Stream
  readonly #onBytes: (count: number) => void
  readonly #fields: FieldKinds
  #trailers: readonly string[] = []

  constructor(stream: ServerHttp2Stream, reception: StreamReception) {
    super(stream, reception)
    this.#stream = stream
    this.#onBytes = reception.onBytes
    this.#fields = reception.fields
    // The fields come as a flat list after the object and the flags; Node's types do not say so.
    stream.once('trailers', ((_fields: unknown, _flags: unknown, raw: string[] | undefined) => {
      this.#trailers = raw ?? []
    }) as () => void)
  }

  protected override arrives(bytes: number): void {
    this.#onBytes(bytes)
  }

  protected override finish(sink: BodySink): void {
    // Node also ends the readable side of a stream that was reset.
    const { aborted, rstCode } = this.#stream
    if (aborted || (rstCode !== undefined && rstCode !== 0)) sink.fail(new Error('the client took the request back'))
    else sink.end(allowedTrailers(this.#trailers, this.#fields))
  }
}
