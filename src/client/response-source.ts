import type { BodySink, BodySource } from '#http'

/** Flow control of an upstream response. */
export interface ResponseFlow {
  pause(): void
  resume(): void
  abort(reason: Error): void
}

/** Bytes buffered for a consumer that has not started; beyond them the upstream is paused. */
export const MAX_BUFFERED_BYTES = 65_536

/**
 * The streaming body of an upstream response. A small response is buffered until the consumer starts, and never pauses the
 * connection; a large one pauses it.
 */
export class ResponseSource implements BodySource {
  readonly #flow: ResponseFlow
  #sink: BodySink | null = null
  #flowing = false
  #draining = false
  #settled = false
  #buffered: Uint8Array[] = []
  #bufferedBytes = 0
  #read = 0
  #complete = false
  #trailers: readonly string[] | null = null
  #failure: Error | null = null

  constructor(flow: ResponseFlow) {
    this.#flow = flow
  }

  start(sink: BodySink): void {
    this.#sink = sink
    if (this.#failure === null) this.#drain(sink)
    else this.#fail(sink, this.#failure)
  }

  resume(): void {
    if (this.#sink !== null && !this.#flowing) this.#drain(this.#sink)
  }

  cancel(reason?: Error): void {
    if (this.#settled) return
    this.#settled = true
    this.#buffered = []
    this.#flow.abort(reason ?? new Error('response body: cancelled by the consumer'))
  }

  /** Adds bytes of the upstream; the parser may still deliver some while it is paused. */
  push(chunk: Uint8Array): void {
    if (this.#settled || chunk.length === 0) return
    if (this.#flowing) {
      if (this.#sink!.write(chunk)) return
      this.#flowing = false
      this.#flow.pause()
      return
    }
    this.#buffered.push(chunk)
    this.#bufferedBytes += chunk.length
    if (this.#bufferedBytes >= MAX_BUFFERED_BYTES) this.#flow.pause()
  }

  /** The upstream has sent the whole body, and these trailers. */
  end(trailers: readonly string[] | null): void {
    this.#complete = true
    this.#trailers = trailers
    if (this.#flowing) this.#finish(this.#sink!)
  }

  /** The body is truncated: the consumer gets an error instead of its end. */
  fail(error: Error): void {
    if (this.#settled) return
    this.#buffered = []
    this.#failure = error
    if (this.#sink !== null) this.#fail(this.#sink, error)
  }

  #drain(sink: BodySink): void {
    if (this.#draining || this.#settled) return
    this.#draining = true
    let more = true
    while (more && this.#read < this.#buffered.length) {
      const chunk = this.#buffered[this.#read++]!
      this.#bufferedBytes -= chunk.length
      more = sink.write(chunk)
    }
    this.#draining = false
    if (this.#read >= this.#buffered.length) {
      this.#buffered = []
      this.#read = 0
    }
    if (this.#settled || !more) return
    if (this.#complete) {
      this.#finish(sink)
      return
    }
    this.#flowing = true
    this.#flow.resume()
  }

  #finish(sink: BodySink): void {
    if (this.#settled) return
    this.#settled = true
    sink.end(this.#trailers)
  }

  #fail(sink: BodySink, error: Error): void {
    if (this.#settled) return
    this.#settled = true
    sink.fail(error)
  }
}
