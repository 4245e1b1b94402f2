/** Receives the bytes of a body. No call follows `end`, `fail` or the cancellation of the flow. */
export interface BodySink {
  /** False pauses the producer until resume(); `end` may still follow, as it carries no bytes. */
  write(chunk: Uint8Array): boolean
  end(trailers: readonly string[] | null): void
  fail(error: Error): void
}

/**
 * A push producer: after start it writes to the sink until write() returns false, continues at resume(), and stops at
 * cancel().
 */
export interface BodySource {
  /** Consumes the content if all of it was received, without trailers; called before start only. */
  takeIfComplete?(length: number): Uint8Array | null
  start(sink: BodySink): void
  resume(): void
  cancel(reason?: Error): void
}

/** Controls a flow for its sink; cancel() reaches the producer, not the sink. */
export interface BodyControl {
  resume(): void
  cancel(reason?: Error): void
}

/**
 * The flow of a body from one producer to one sink; enforces the contract of both. Every pause needs at least one byte: empty
 * chunks never reach the sink, and resume() reaches the producer only after a pause. So a producer that answers each resume()
 * with an empty chunk, as HTTP parsers do, can not loop without I/O.
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
      // An exception of the sink in an event of the producer must not end the process.
      this.abort(asError(error))
    } finally {
      this.#writing = false
    }
    // A sink may resume within write(), before the producer has paused.
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

  /** Cancels the producer and fails the sink, which never sees a clean end. */
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

/** For content that was delivered synchronously. */
export const COMPLETED: BodyControl = { resume: () => undefined, cancel: () => undefined }
