import type { Readable } from 'node:stream'
import { type BodySink, type BodySource, BodyTooLargeError } from '#http'
import type { AwaitedBody, WatchedBody } from './body-watch.ts'
import type { Refusal } from './refusal.ts'
import type { Service } from './service.ts'

/** The transaction of a request body. */
export interface BodyOwner {
  readonly service: Service
  /** Whether the client waits for 100 Continue before it sends the body. */
  readonly expectsContinue: boolean
  /** Bytes of the response body sent so far; null before its head. */
  readonly responseBytes: number | null
  /** The body is read for the first time. */
  onBodyRead(): void
  /** The client sent nothing, or next to nothing, for too long. */
  onBodyStalled(): void
  refuseBody(reason: Refusal, error: Error): void
}

/** A request body on its way from the client, who may send only as fast as it is taken. */
export abstract class ReceivedBody implements BodySource, AwaitedBody {
  protected readonly owner: BodyOwner
  readonly #stream: Readable
  #sink: BodySink | null = null
  #received = 0
  #over: Error | null = null
  #watched: WatchedBody | null = null

  constructor(stream: Readable, owner: BodyOwner) {
    this.owner = owner
    this.#stream = stream
  }

  start(sink: BodySink): void {
    if (this.#over !== null) {
      sink.fail(this.#over)
      return
    }
    this.#sink = sink
    this.#watched = this.owner.service.bodies.add(this)
    this.owner.onBodyRead()
    this.#stream.on('data', (chunk: Buffer) => this.#take(chunk))
    this.#stream.on('end', () => this.#end())
    this.#stream.resume()
  }

  resume(): void {
    this.#stream.resume()
  }

  cancel(reason?: Error): void {
    this.#over ??= reason ?? new Error('the request body was given up')
    this.#release()
    this.#stream.pause()
  }

  /** Ends the body as broken: the client went away, took the request back, or sent what is not HTTP. */
  fail(error: Error): void {
    this.#over ??= error
    this.#release()?.fail(error)
  }

  get received(): number {
    return this.#received
  }

  get answered(): number | null {
    return this.owner.responseBytes
  }

  get isAwaited(): boolean {
    return this.#sink !== null && !this.#stream.isPaused()
  }

  stall(): void {
    this.owner.onBodyStalled()
  }

  protected get maxBytes(): number {
    return this.owner.service.settings.maxBodyBytes ?? Number.POSITIVE_INFINITY
  }

  protected get isOver(): boolean {
    return this.#over !== null
  }

  /** Told of each chunk, whether or not somebody takes it. */
  protected arrives(_bytes: number): void {}

  /** Ends or fails the sink: a body that was cut short also comes to an end, and must never pass for a whole one. */
  protected abstract finish(sink: BodySink): void

  #take(chunk: Buffer): void {
    this.arrives(chunk.length)
    if (this.#sink === null || chunk.length === 0) return
    this.#received += chunk.length
    const { maxBytes } = this
    if (this.#received > maxBytes) {
      this.#stream.pause()
      this.fail(new BodyTooLargeError(maxBytes))
      return
    }
    try {
      if (!this.#sink.write(chunk)) this.#stream.pause()
    } catch (error) {
      // Thrown from an event of the connection, it would end the process.
      this.#stream.pause()
      this.fail(error instanceof Error ? error : new Error(String(error)))
    }
  }

  #end(): void {
    const sink = this.#release()
    if (sink !== null) this.finish(sink)
  }

  /** The sink, which gets nothing more from here on but its end. */
  #release(): BodySink | null {
    const sink = this.#sink
    this.#sink = null
    if (this.#watched !== null) this.owner.service.bodies.delete(this.#watched)
    this.#watched = null
    return sink
  }
}
