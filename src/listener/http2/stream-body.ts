import type { ServerHttp2Stream } from 'node:http2'
import { type BodySink, type BodySource, BodyTooLargeError } from '#http'
import { allowedTrailers } from '../trailers.ts'

/** What surrounds the body of a stream. */
export interface StreamReception {
  readonly maxBytes: number
  /** Runs when the body is first asked for, if the client waits for 100 Continue. */
  readonly onFirstRead: (() => void) | null
  /** Told how many bytes arrived. */
  readonly onBytes: (count: number) => void
}

/** The request body of a stream; the client may send only as fast as it is taken. */
export class StreamBody implements BodySource {
  readonly #stream: ServerHttp2Stream
  readonly #reception: StreamReception
  #sink: BodySink | null = null
  #received = 0
  #over: Error | null = null
  #trailers: readonly string[] = []

  constructor(stream: ServerHttp2Stream, reception: StreamReception) {
    this.#stream = stream
    this.#reception = reception
    // The fields come as a flat list after the object and the flags; Node's types do not say so.
    stream.once('trailers', ((_fields: unknown, _flags: unknown, raw: string[] | undefined) => {
      this.#trailers = raw ?? []
    }) as () => void)
  }

  start(sink: BodySink): void {
    if (this.#over !== null) {
      sink.fail(this.#over)
      return
    }
    this.#sink = sink
    this.#reception.onFirstRead?.()
    this.#stream.on('data', (chunk: Buffer) => this.#take(chunk))
    this.#stream.on('end', () => this.#end())
  }

  resume(): void {
    this.#stream.resume()
  }

  cancel(reason?: Error): void {
    this.#over ??= reason ?? new Error('the request body was given up')
    this.#sink = null
    this.#stream.pause()
  }

  /** Ends the body as broken: the client went away, or took the request back. */
  fail(error: Error): void {
    this.#over ??= error
    const sink = this.#sink
    this.#sink = null
    sink?.fail(error)
  }

  #take(chunk: Buffer): void {
    this.#reception.onBytes(chunk.length)
    if (this.#sink === null) return
    this.#received += chunk.length
    const { maxBytes } = this.#reception
    if (this.#received > maxBytes) {
      this.#stream.pause()
      this.fail(new BodyTooLargeError(maxBytes))
      return
    }
    try {
      if (!this.#sink.write(chunk)) this.#stream.pause()
    } catch (error) {
      // Thrown from an event of the session, it would end the process.
      this.#stream.pause()
      this.fail(error instanceof Error ? error : new Error(String(error)))
    }
  }

  #end(): void {
    const sink = this.#sink
    this.#sink = null
    if (sink === null) return
    // Node also ends the readable side of a stream that was reset; that must never pass for a whole body.
    const { aborted, rstCode } = this.#stream
    if (aborted || (rstCode !== undefined && rstCode !== 0)) sink.fail(new Error('the client took the request back'))
    else sink.end(allowedTrailers(this.#trailers))
  }
}
