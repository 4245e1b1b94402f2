import { type BodySink, type BodySource, BodyTooLargeError } from '#http'
import type { BodyProgress, TimedBody } from './body-timeouts.ts'
import type { ListenerContext } from './listener-context.ts'
import type { Refusal } from './refusal.ts'

/** The transaction of a request body. */
export interface BodyOwner {
  readonly context: ListenerContext
  /** Whether the client waits for 100 Continue before it sends the body. */
  readonly expectsContinue: boolean
  /** Bytes of the response body sent so far; null before its head. */
  readonly responseBytes: number | null
  /** The first read. */
  onBodyRead(): void
  /** The client sent nothing, or next to nothing, for too long. */
  onBodyStalled(): void
  refuseBody(reason: Refusal, error: Error): void
}

/** A request body received from the client, with back-pressure. */
export abstract class ReceivedBody implements BodySource, TimedBody {
  protected readonly owner: BodyOwner
  #sink: BodySink | null = null
  #received = 0
  #failure: Error | null = null
  #progress: BodyProgress | null = null

  constructor(owner: BodyOwner) {
    this.owner = owner
  }

  start(sink: BodySink): void {
    if (this.#failure !== null) {
      sink.fail(this.#failure)
      return
    }
    this.#sink = sink
    this.#progress = this.owner.context.bodies.add(this)
    this.owner.onBodyRead()
    this.begin()
  }

  abstract resume(): void

  cancel(reason?: Error): void {
    this.#failure ??= reason ?? new Error('the request body was cancelled')
    this.release()
    this.pause()
  }

  /** Fails the body: the client disconnected, reset the stream, or sent malformed data. */
  fail(error: Error): void {
    this.#failure ??= error
    this.release()?.fail(error)
  }

  get received(): number {
    return this.#received
  }

  get responseBytes(): number | null {
    return this.owner.responseBytes
  }

  get isReading(): boolean {
    return this.#sink !== null && !this.isPaused
  }

  onStalled(): void {
    this.owner.onBodyStalled()
  }

  protected get maxBytes(): number {
    return this.owner.context.settings.maxBodyBytes ?? Number.POSITIVE_INFINITY
  }

  protected get hasFailed(): boolean {
    return this.#failure !== null
  }

  /** Calls `receive` for what has arrived, and for what follows. */
  protected abstract begin(): void

  protected abstract pause(): void

  protected abstract get isPaused(): boolean

  /** A chunk for the sink. */
  protected receive(chunk: Buffer): void {
    if (this.#sink === null || chunk.length === 0) return
    this.#received += chunk.length
    const { maxBytes } = this
    if (this.#received > maxBytes) {
      this.pause()
      this.fail(new BodyTooLargeError(maxBytes))
      return
    }
    try {
      if (!this.#sink.write(chunk)) this.pause()
    } catch (error) {
      // An exception in an event of the connection would end the process.
      this.pause()
      this.fail(error instanceof Error ? error : new Error(String(error)))
    }
  }

  /** Detaches the sink. */
  protected release(): BodySink | null {
    const sink = this.#sink
    this.#sink = null
    if (this.#progress !== null) this.owner.context.bodies.delete(this.#progress)
    this.#progress = null
    return sink
  }
}
