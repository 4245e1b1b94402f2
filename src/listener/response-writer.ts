import type { BodyControl, BodySink, Response } from '#http'
import type { ResponseHead } from './response-head.ts'
import { allowedTrailers } from './trailers.ts'

// Buffered bodies up to this size are sent with the head in one write.
const MAX_ONE_WRITE = 65_536
// Up to this size, conversion to text costs less than a second write.
const MAX_AS_TEXT = 8192

/** Receives a response body. */
export interface ResponseTarget {
  /** Whether trailers can follow the body. */
  readonly chunkedEncoding: boolean
  write(chunk: Uint8Array): boolean
  /** Text is in Latin-1. */
  end(content?: string | Uint8Array): void
  once(event: 'drain', listener: () => void): void
  addTrailers(pairs: readonly [string, string][]): void
}

/** Writes one response body, with back-pressure of the client. */
export class ResponseWriter implements BodySink {
  readonly #target: ResponseTarget
  readonly #response: Response
  readonly #length: number | null
  readonly #onFailure: (error: Error) => void
  #written = 0
  #flow: BodyControl | null = null
  #done = false
  #started = false
  #awaitsDrain = false
  #complete: Uint8Array | null = null

  constructor(target: ResponseTarget, response: Response, head: ResponseHead, onFailure: (error: Error) => void) {
    this.#target = target
    this.#response = response
    this.#length = head.length
    this.#onFailure = onFailure
  }

  /** Bytes written to the target. */
  get written(): number {
    return this.#written
  }

  /** Whether the body has ended, failed or was cancelled. */
  get isDone(): boolean {
    return this.#done
  }

  start(): void {
    const flow = this.#response.body.pipe(this)
    this.#started = true
    if (this.#done) return
    this.#flow = flow
    if (this.#complete !== null) this.#send(this.#complete)
    this.#complete = null
  }

  write(chunk: Uint8Array): boolean {
    if (this.#done) return false
    this.#written += chunk.length
    if (this.#length !== null && this.#written > this.#length) {
      this.fail(new Error(`the response body is longer than the ${this.#length} bytes announced`))
      return false
    }
    // A small body that arrived with its head waits for its end, to be sent with the head in one write.
    if (!this.#started && chunk.length === this.#length && chunk.length <= MAX_AS_TEXT) {
      this.#complete = chunk
      return true
    }
    return this.#send(chunk)
  }

  #send(chunk: Uint8Array): boolean {
    const more = this.#target.write(chunk)
    if (!more && !this.#awaitsDrain) {
      this.#awaitsDrain = true
      this.#target.once('drain', () => {
        this.#awaitsDrain = false
        this.#flow?.resume()
      })
    }
    return more
  }

  end(trailers: readonly string[] | null): void {
    if (this.#done) return
    if (this.#length !== null && this.#written !== this.#length) {
      this.fail(new Error(`the response body ended after ${this.#written} of ${this.#length} bytes`))
      return
    }
    this.#done = true
    this.#flow = null
    this.#addTrailers(this.#response.trailers?.raw() ?? trailers)
    if (this.#complete === null) this.#target.end()
    // As text, head and body are one write to the socket.
    else this.#target.end(latin1(this.#complete))
    // Frees the temporary file of a body that was buffered.
    this.#response.body.cancel()
  }

  fail(error: Error): void {
    if (this.#done) return
    this.cancel(error)
    this.#onFailure(error)
  }

  /** Stops the producer; nothing more is written. */
  cancel(reason: Error): void {
    if (this.#done) return
    this.#done = true
    this.#flow = null
    this.#response.body.cancel(reason)
  }

  #addTrailers(raw: readonly string[] | null): void {
    const allowed = raw === null ? null : allowedTrailers(raw)
    if (allowed === null || !this.#target.chunkedEncoding) return
    const { headers } = this.#response
    const pairs: [string, string][] = []
    for (let i = 0; i < allowed.length; i += 2) {
      if (!headers.isRemoved(allowed[i]!)) pairs.push([allowed[i]!, allowed[i + 1]!])
    }
    try {
      this.#target.addTrailers(pairs)
    } catch {
      // A trailer with a line break is dropped; the response is complete.
    }
  }
}

/** Whether a body can be sent in one write with the head. */
export function fitsOneWrite({ body, trailers }: Response): boolean {
  return (
    trailers === null &&
    body.trailers === null &&
    body.isBuffered &&
    body.length !== null &&
    body.length <= MAX_ONE_WRITE
  )
}

function latin1(chunk: Uint8Array): string {
  return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1')
}
