import type { Body, BodySink } from '#http'
import { UpstreamError } from './upstream-error.ts'

/** Progress of a request body: the upstream is awaited while it is blocked or ended, the client while it flows. */
export interface UploadObserver {
  uploadBlocked(): void
  uploadFlows(): void
  uploadEnded(): void
  /** Filters trailers. */
  trailersToSend(trailers: readonly string[]): readonly string[]
}

/** The message that a body belongs to. */
export interface UploadTarget {
  /** False pauses the body until `Upload.resume`. */
  writeBody(chunk: Uint8Array): boolean
  endBody(trailers: readonly string[]): void
  failBody(error: Error): void
}

/** Sends a request body with back-pressure on its client, and enforces its length. */
export class Upload implements BodySink {
  readonly #body: Body
  readonly #length: number | null
  readonly #observer: UploadObserver
  readonly #target: UploadTarget
  #control: ReturnType<Body['pipe']> | null = null
  #isOver = false
  #isPaused = false
  #sent = 0

  constructor(body: Body, observer: UploadObserver, target: UploadTarget) {
    this.#body = body
    this.#length = body.length
    this.#observer = observer
    this.#target = target
  }

  /** The target may be called before this returns. */
  start(): void {
    try {
      this.#control = this.#body.pipe(this)
    } catch (error) {
      this.fail(error instanceof Error ? error : new Error(String(error)))
      return
    }
    // Cancelled within pipe().
    if (this.#isOver) this.#control.cancel()
  }

  /** The target can take more. */
  resume(): void {
    if (!this.#isPaused || this.#isOver) return
    this.#isPaused = false
    this.#observer.uploadFlows()
    this.#control?.resume()
  }

  /** Stops the body; the target is not called any more. */
  cancel(reason?: Error): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#control?.cancel(reason)
  }

  write(chunk: Uint8Array): boolean {
    if (this.#isOver) return false
    this.#sent += chunk.length
    if (this.#length !== null && this.#sent > this.#length) {
      this.#abandon(new Error('request body: longer than its announced length'))
      return false
    }
    if (this.#target.writeBody(chunk)) return true
    this.#isPaused = true
    this.#observer.uploadBlocked()
    return false
  }

  end(trailers: readonly string[] | null): void {
    if (this.#isOver) return
    if (this.#length !== null && this.#sent < this.#length) {
      this.fail(new Error('request body: ended before its announced length'))
      return
    }
    this.#isOver = true
    this.#target.endBody(trailers === null ? [] : this.#observer.trailersToSend(trailers))
    this.#observer.uploadEnded()
  }

  fail(error: Error): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#target.failBody(new UpstreamError('GW_REQUEST_BODY', error))
  }

  #abandon(error: Error): void {
    this.#control?.cancel(error)
    this.fail(error)
  }
}
