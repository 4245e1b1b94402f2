/** Takes the bytes of a body. After `end` or `fail`, or once the taker has cancelled, nothing more comes. */
export interface BodySink {
  /** False asks the producer to wait for resume(); `end` may still follow at once, as it carries no bytes. */
  write(chunk: Uint8Array): boolean
  end(trailers: readonly string[] | null): void
  fail(error: Error): void
}

/**
 * A pushing producer: after start it writes to the sink until write() returns false, goes on at resume(), and stops at
 * cancel().
 */
export interface BodySource {
  /** The content, if all these bytes of it are here and nothing follows; then it is taken. Asked before start only. */
  arrived?(length: number): Uint8Array | null
  start(sink: BodySink): void
  resume(): void
  cancel(reason?: Error): void
}

/** What the taker of a body holds while it flows; cancelling it tells the producer, not the sink. */
export interface BodyControl {
  resume(): void
  cancel(reason?: Error): void
}

/**
 * A body on its way from one producer to one sink; holds both to their contract. Every pause costs the producer at least
 * one byte: empty chunks never reach the sink, and resume() reaches the producer only after a pause. So a producer that
 * answers each resume() with an empty chunk, as HTTP parsers do, cannot keep the two busy without I/O.
 */
export class BodyFlow implements BodySink, BodyControl {
  readonly #source: BodySource
  readonly #sink: BodySink
  #open = true
  #paused = false
  #writing = false
  #resumed = false

  constructor(source: BodySource, sink: BodySink) {
    this.#source = source
    this.#sink = sink
  }

  get isOpen(): boolean {
    return this.#open
  }

  start(): void {
    this.#source.start(this)
  }

  write(chunk: Uint8Array): boolean {
    if (!this.#open) return false
    if (chunk.length === 0) return !this.#paused
    this.#writing = true
    this.#resumed = false
    let more = false
    try {
      more = this.#sink.write(chunk)
    } catch (error) {
      // A fault of the taker, in an event of the producer: it concerns this body and not the process.
      this.abort(asError(error))
    } finally {
      this.#writing = false
    }
    // A sink may ask for more from within write(), before the producer knows that it was to wait.
    this.#paused = !(more || this.#resumed)
    return this.#open && !this.#paused
  }

  end(trailers: readonly string[] | null): void {
    if (!this.#open) return
    this.#open = false
    try {
      this.#sink.end(trailers)
    } catch (error) {
      this.#sink.fail(asError(error))
    }
  }

  fail(error: Error): void {
    if (!this.#open) return
    this.#open = false
    this.#sink.fail(error)
  }

  resume(): void {
    if (this.#writing) {
      this.#resumed = true
      return
    }
    if (!this.#open || !this.#paused) return
    this.#paused = false
    this.#source.resume()
  }

  cancel(reason?: Error): void {
    if (!this.#open) return
    this.#open = false
    this.#source.cancel(reason)
  }

  /** Stops the flow from outside: the producer is cancelled and the sink sees a failure, never a clean end. */
  abort(reason: Error): void {
    if (!this.#open) return
    this.#open = false
    this.#source.cancel(reason)
    this.#sink.fail(reason)
  }
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(`body: the sink threw ${typeof thrown}`)
}

/** For content that was delivered whole while it was asked for. */
export const FINISHED: BodyControl = { resume: () => undefined, cancel: () => undefined }
