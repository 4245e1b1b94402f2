import type { ServerResponse } from 'node:http'
import type { BodyControl, BodySink, Response } from '#http'
import type { ResponseHead } from './response-head.ts'
import { allowedTrailers } from './trailers.ts'

// Bodies up to this size that are in memory go out with the head in one write.
const maxBytesAtOnce = 65_536

/** Writes one response body as fast as the client takes it. */
export class ResponseWriter implements BodySink {
  readonly #target: ServerResponse
  readonly #response: Response
  readonly #length: number | null
  readonly #onFailure: (error: Error) => void
  #written = 0
  #flow: BodyControl | null = null
  #done = false

  constructor(target: ServerResponse, response: Response, head: ResponseHead, onFailure: (error: Error) => void) {
    this.#target = target
    this.#response = response
    this.#length = head.length
    this.#onFailure = onFailure
  }

  start(): void {
    this.#target.on('drain', () => this.#flow?.resume())
    const flow = this.#response.body.pipe(this)
    if (this.#done) return
    this.#flow = flow
  }

  write(chunk: Uint8Array): boolean {
    if (this.#done) return false
    this.#written += chunk.length
    if (this.#length !== null && this.#written > this.#length) {
      this.fail(new Error(`the response body is longer than the ${this.#length} bytes announced`))
      return false
    }
    return this.#target.write(chunk)
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
    this.#target.end()
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
    const pairs: [string, string][] = []
    for (let i = 0; i < allowed.length; i += 2) pairs.push([allowed[i]!, allowed[i + 1]!])
    try {
      this.#target.addTrailers(pairs)
    } catch {
      // A trailer with a line break in it is left out; the response itself is whole.
    }
  }
}

/** Whether a body can be handed to the socket in one piece together with the head. */
export function fitsOneWrite(response: Response): boolean {
  const { body } = response
  return response.trailers === null && body.isBuffered && body.length !== null && body.length <= maxBytesAtOnce
}
