import { EventEmitter } from 'node:events'
import type { Body, BodySink } from '#http'
import { UpstreamError } from './upstream-error.ts'

/** Progress of a request body: the upstream is awaited while it is blocked or ended, the client while it flows. */
export interface UploadObserver {
  uploadBlocked(): void
  uploadFlows(): void
  /** Filters trailers. */
  trailersToSend(trailers: readonly string[]): readonly string[]
  /** The body is sent; `end` finishes the message, after these trailers. */
  uploadEnded(trailers: readonly string[], end: () => void): void
}

/**
 * A body with the stream interface that undici uses: `data`, `end` and `error` events, `pause`, `resume` and `destroy`.
 * Reading starts when undici has a connection, so that a queued request exerts back-pressure on its client.
 */
export class RequestBody extends EventEmitter implements BodySink {
  /** Read by undici. */
  destroyed = false
  readonly #body: Body
  readonly #observer: UploadObserver
  #control: ReturnType<Body['pipe']> | null = null
  #started = false
  #paused = false
  #ended = false
  #sent = 0
  #trailers: readonly string[] = []

  constructor(body: Body, observer: UploadObserver) {
    super()
    this.#body = body
    this.#observer = observer
  }

  /** Never called; undici detects streams by this method. */
  pipe(): never {
    throw new Error('request body: expected undici to listen for data, got a call of pipe')
  }

  pause(): void {
    this.#paused = true
    this.#observer.uploadBlocked()
  }

  resume(): void {
    if (!this.#started) {
      this.#started = true
      // undici adds socket listeners after this call: a body that ended within it would leak them.
      queueMicrotask(() => this.#start())
      return
    }
    if (!this.#paused) return
    this.#paused = false
    this.#observer.uploadFlows()
    this.#control?.resume()
  }

  destroy(error?: Error): this {
    if (this.destroyed) return this
    this.destroyed = true
    if (!this.#ended) this.#control?.cancel(error)
    if (error !== undefined) queueMicrotask(() => this.#report(error))
    return this
  }

  write(chunk: Uint8Array): boolean {
    if (this.destroyed) return false
    this.#sent += chunk.length
    this.emit('data', chunk)
    return !this.#paused
  }

  end(trailers: readonly string[] | null = null): void {
    if (this.destroyed || this.#ended) return
    // undici would send the empty body, and detect the mismatch of Content-Length too late.
    if (this.#body.length !== null && this.#sent < this.#body.length) {
      this.fail(new Error('request body: ended before its announced length'))
      return
    }
    this.#ended = true
    this.#trailers = trailers === null ? [] : this.#observer.trailersToSend(trailers)
    this.#observer.uploadEnded(this.#trailers, () => this.emit('end'))
  }

  /** The trailers in the form of node:http2, after the end of the body. */
  trailerFields(): Record<string, string[]> {
    const fields: Record<string, string[]> = Object.create(null)
    for (let i = 0; i < this.#trailers.length; i += 2) {
      const name = this.#trailers[i]!.toLowerCase()
      fields[name] = [...(fields[name] ?? []), this.#trailers[i + 1]!]
    }
    return fields
  }

  fail(error: Error): void {
    if (this.destroyed || this.#ended) return
    this.#ended = true
    this.#report(new UpstreamError('GW_REQUEST_BODY', error))
  }

  #start(): void {
    if (this.destroyed) return
    try {
      this.#control = this.#body.pipe(this)
    } catch (error) {
      this.fail(error instanceof Error ? error : new Error(String(error)))
      return
    }
    if (this.destroyed && !this.#ended) this.#control.cancel()
  }

  /** Ignored after undici has removed its listeners at the end of a request. */
  #report(error: Error): void {
    if (this.listenerCount('error') > 0) this.emit('error', error)
  }
}
