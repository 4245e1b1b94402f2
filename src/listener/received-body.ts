import type { Readable } from 'node:stream'
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
  readonly #stream: Readable
  #sink: BodySink | null = null
  #received = 0
  #failure: Error | null = null
  #progress: BodyProgress | null = null

  constructor(stream: Readable, owner: BodyOwner) {
    this.owner = owner
    this.#stream = stream
  }

  start(sink: BodySink): void {
    if (this.#failure !== null) {
      sink.fail(this.#failure)
      return
    }
    this.#sink = sink
    this.#progress = this.owner.context.bodies.add(this)
    this.owner.onBodyRead()
    const more = this.#receiveBuffered()
    this.#stream.on('data', (chunk: Buffer) => this.onData(chunk))
    this.#stream.on('end', () => this.#end())
    if (more) this.#stream.resume()
  }

  resume(): void {
    this.#stream.resume()
  }

  cancel(reason?: Error): void {
    this.#failure ??= reason ?? new Error('the request body was cancelled')
    this.#release()
    this.#stream.pause()
  }

  /** Fails the body: the client disconnected, reset the stream, or sent malformed data. */
  fail(error: Error): void {
    this.#failure ??= error
    this.#release()?.fail(error)
  }

  get received(): number {
    return this.#received
  }

  get responseBytes(): number | null {
    return this.owner.responseBytes
  }

  get isReading(): boolean {
    return this.#sink !== null && !this.#stream.isPaused()
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

  /** Called for each chunk, read or discarded. */
  protected onBytes(_bytes: number): void {}

  /** A chunk that is read; calls `receive` for it, now or later. */
  protected onData(chunk: Buffer): void {
    this.onBytes(chunk.length)
    this.receive(chunk)
  }

  /** Calls `receive` for chunks that were retained: the body has ended. */
  protected flush(): void {}

  /** Ends the sink, or fails it for a truncated body: Node emits `end` for both. */
  protected abstract finish(sink: BodySink): void

  /** The part that has arrived leaves with the head of the upstream request: `data` would follow in a later turn. */
  #receiveBuffered(): boolean {
    const chunk = this.#stream.readableLength === 0 ? null : (this.#stream.read() as Buffer | null)
    if (chunk === null) return true
    this.onBytes(chunk.length)
    this.receive(chunk)
    return !this.#stream.isPaused()
  }

  protected receive(chunk: Buffer): void {
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
      // An exception in an event of the connection would end the process.
      this.#stream.pause()
      this.fail(error instanceof Error ? error : new Error(String(error)))
    }
  }

  #end(): void {
    this.flush()
    const sink = this.#release()
    if (sink !== null) this.finish(sink)
  }

  /** Detaches the sink. */
  #release(): BodySink | null {
    const sink = this.#sink
    this.#sink = null
    if (this.#progress !== null) this.owner.context.bodies.delete(this.#progress)
    this.#progress = null
    return sink
  }
}
