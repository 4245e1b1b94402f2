import type { BodySink, BodySource } from '#http'

/** The tap of an upstream response. */
export interface ResponseFlow {
  hold(): void
  release(): void
  abandon(reason: Error): void
}

/** Bytes held for a consumer that has not started yet; beyond it the upstream has to wait. */
export const HELD_BYTES = 65_536

/**
 * The body of a response while it arrives. Bytes come with the head, before anybody can have asked for them: a small
 * response is held whole and never stops the connection, a large one stops it until the consumer takes its bytes.
 */
export class ResponseSource implements BodySource {
  readonly #flow: ResponseFlow
  #sink: BodySink | null = null
  #taking = false
  #draining = false
  #over = false
  #held: Uint8Array[] = []
  #heldBytes = 0
  #taken = 0
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
    if (this.#sink !== null && !this.#taking) this.#drain(this.#sink)
  }

  cancel(reason?: Error): void {
    if (this.#over) return
    this.#over = true
    this.#held = []
    this.#flow.abandon(reason ?? new Error('response body: the consumer wants no more of it'))
  }

  /** More bytes from the upstream; also, in its last words, while it should be waiting. */
  push(chunk: Uint8Array): void {
    // Resuming the parser of undici makes it deliver an empty chunk.
    if (this.#over || chunk.length === 0) return
    if (this.#taking) {
      if (this.#sink!.write(chunk)) return
      this.#taking = false
      this.#flow.hold()
      return
    }
    this.#held.push(chunk)
    this.#heldBytes += chunk.length
    if (this.#heldBytes >= HELD_BYTES) this.#flow.hold()
  }

  /** The upstream has sent everything, with these fields after the body. */
  end(trailers: readonly string[] | null): void {
    this.#complete = true
    this.#trailers = trailers
    if (this.#taking) this.#finish(this.#sink!)
  }

  /** The upstream broke off: the consumer must not take what it has for the whole. */
  fail(error: Error): void {
    if (this.#over) return
    this.#held = []
    this.#failure = error
    if (this.#sink !== null) this.#fail(this.#sink, error)
  }

  #drain(sink: BodySink): void {
    if (this.#draining || this.#over) return
    this.#draining = true
    let more = true
    while (more && this.#taken < this.#held.length) {
      const chunk = this.#held[this.#taken++]!
      this.#heldBytes -= chunk.length
      more = sink.write(chunk)
    }
    this.#draining = false
    if (this.#taken >= this.#held.length) {
      this.#held = []
      this.#taken = 0
    }
    if (this.#over || !more) return
    if (this.#complete) {
      this.#finish(sink)
      return
    }
    this.#taking = true
    this.#flow.release()
  }

  #finish(sink: BodySink): void {
    if (this.#over) return
    this.#over = true
    sink.end(this.#trailers)
  }

  #fail(sink: BodySink, error: Error): void {
    if (this.#over) return
    this.#over = true
    sink.fail(error)
  }
}
