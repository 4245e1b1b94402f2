import { EventEmitter } from 'node:events'
import type { Body, BodySink } from '#http'
import { UpstreamError } from './upstream-error.ts'

/** Learns who is waited for while a request body is sent: the upstream (blocked, ended) or the client (flowing). */
export interface UploadObserver {
  uploadBlocked(): void
  uploadFlows(): void
  /** Those of the fields after a body that may be sent. */
  trailersToSend(trailers: readonly string[]): readonly string[]
  /** Nothing is left but to say `end`, and these fields before it. */
  uploadEnded(trailers: readonly string[], end: () => void): void
}

/**
 * A body as undici wants to see a stream: `data`, `end` and `error` events, `pause`, `resume` and `destroy`.
 * Nothing is taken from the body before undici has a connection for it, so a waiting request holds its client back.
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

  /** By this method, which it never calls, undici recognises a stream. */
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
      // undici subscribes to the socket after this call: a body that ends within it would leave the listeners behind.
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
    // undici would send an empty body as a whole request, and only then find that more was announced.
    if (this.#body.length !== null && this.#sent < this.#body.length) {
      this.fail(new Error('request body: ended before its announced length'))
      return
    }
    this.#ended = true
    this.#trailers = trailers === null ? [] : this.#observer.trailersToSend(trailers)
    this.#observer.uploadEnded(this.#trailers, () => this.emit('end'))
  }

  /** The fields after the body, once it has ended, as HTTP/2 wants them. */
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

  /** undici takes its listeners away when it has finished with a request; then nobody needs to know. */
  #report(error: Error): void {
    if (this.listenerCount('error') > 0) this.emit('error', error)
  }
}
