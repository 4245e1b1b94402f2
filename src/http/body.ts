import type { Readable } from 'node:stream'
import { BodyCancelledError, BodyConsumedError, BodyNotBufferedError, BodyTooLargeError } from './body-errors.ts'
import { type BodyControl, BodyFlow, type BodySink, type BodySource, COMPLETED } from './body-flow.ts'
import { SpillBuffer } from './spill-buffer.ts'
import type { StoredContent } from './stored-content.ts'
import { BodyReadable, StreamSource } from './stream-source.ts'
import { memoryWriter, type StorageWriter, type TemporaryStorage } from './temporary-storage.ts'

const NOTHING = new Uint8Array(0)

/** The content of a message: empty, bytes, a stream or a push source; read once unless buffered. */
export class Body {
  #bytes: Uint8Array | null
  #stored: StoredContent | null = null
  #source: BodySource | null
  #flow: BodyFlow | null = null
  #length: number | null
  #trailers: readonly string[] | null = null
  #buffering: Promise<boolean> | null = null
  #exceeded: number | null = null
  #derived: { readonly key: string; readonly value: unknown } | null = null
  #cancelled = false

  private constructor(bytes: Uint8Array | null, source: BodySource | null, length: number | null) {
    this.#bytes = bytes
    this.#source = source
    this.#length = length
  }

  static readonly empty: Body = new Body(NOTHING, null, 0)

  static of(content: string | Uint8Array): Body {
    const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content
    return bytes.length === 0 ? Body.empty : new Body(bytes, null, bytes.length)
  }

  static fromStream(stream: Readable, length: number | null = null): Body {
    return new Body(null, new StreamSource(stream), length)
  }

  static fromSource(source: BodySource, length: number | null = null): Body {
    return new Body(null, source, length)
  }

  /** Bytes, where known before reading. */
  get length(): number | null {
    return this.#length
  }

  get isEmpty(): boolean {
    return this.#length === 0
  }

  /** Whether it can be read repeatedly and synchronously. */
  get isBuffered(): boolean {
    return this.#bytes !== null || this.#stored !== null
  }

  /** False once the content was consumed without buffering. */
  get isAvailable(): boolean {
    return this.isBuffered || this.#source !== null
  }

  /** Trailers of a buffered body, as a flat list; null without any or before buffering. */
  get trailers(): readonly string[] | null {
    return this.#trailers
  }

  /** Sends the content to a sink, which may be called before this returns; a body that is not buffered can be piped once. */
  pipe(sink: BodySink): BodyControl {
    if (this.#bytes !== null) {
      if (this.#bytes.length > 0) sink.write(this.#bytes)
      sink.end(this.#trailers)
      return COMPLETED
    }
    return this.#start(this.#stored?.source(this.#trailers) ?? this.#consume(), sink)
  }

  /** The content as a Readable: the same stream for fromStream, otherwise a new one. */
  stream(): Readable {
    if (this.#source instanceof StreamSource) {
      const { stream } = this.#source
      this.#source = null
      return stream
    }
    if (this.isBuffered) return new BodyReadable((sink) => this.pipe(sink))
    const source = this.#consume()
    return new BodyReadable(
      (sink) => this.#start(source, sink),
      (reason) => source.cancel(reason),
    )
  }

  /** The limit of a storage that the content exceeded; null without such a storage. */
  get exceededLimit(): number | null {
    return this.#exceeded
  }

  /**
   * Buffers the content in the storage. Throws BodyTooLargeError where it does not fit; it can then still be read once.
   */
  async buffer(storage: TemporaryStorage): Promise<void> {
    if (!(await this.bufferIfFits(storage))) throw new BodyTooLargeError(storage.limit)
  }

  /** Buffers the content if it fits into the storage; false where it does not, and can be read once. */
  bufferIfFits(storage: TemporaryStorage): Promise<boolean> {
    if (this.isBuffered) return Promise.resolve(true)
    return this.#once(() => this.#spill(storage))
  }

  async #spill(storage: TemporaryStorage): Promise<boolean> {
    if (this.#source === null) throw new BodyConsumedError()
    const { limit } = storage
    if ((this.#length !== null && this.#length > limit) || (this.#exceeded !== null && this.#exceeded >= limit)) {
      this.#exceeded ??= limit
      return false
    }
    const writer = storage.open()
    const content = new SpillBuffer(writer)
    try {
      if (await content.collect((sink) => this.pipe(sink))) {
        this.#setBuffered(await writer.finish())
        this.#trailers = content.trailers
        return true
      }
      if (this.#cancelled) throw new BodyCancelledError()
      this.#source = content
      this.#exceeded = limit
      return false
    } catch (error) {
      writer.discard()
      throw error
    }
  }

  /** Buffers the content if all of it was received, as of a short body that arrived with its head; never waits. */
  bufferIfComplete(maxBytes: number): void {
    if (this.#length === null || this.#length > maxBytes || this.#source === null) return
    const bytes = this.#source.takeIfComplete?.(this.#length) ?? null
    if (bytes === null) return
    this.#source = null
    this.#bytes = bytes
  }

  /** The whole content in memory; afterwards the body is buffered. */
  async read(maxBytes: number): Promise<Uint8Array> {
    if (!this.isBuffered) await this.#once(() => this.#fill(maxBytes))
    if (this.#length !== null && this.#length > maxBytes) throw new BodyTooLargeError(maxBytes)
    return this.bytes()
  }

  /** The content of a buffered body, read from its temporary file if it has one. */
  bytes(): Uint8Array {
    if (this.#bytes !== null) return this.#bytes
    if (this.#stored !== null) return this.#stored.bytes()
    throw this.#exceeded === null ? new BodyNotBufferedError() : new BodyTooLargeError(this.#exceeded)
  }

  /** A value computed from the content; cached for one key. */
  derived<T>(key: string, make: () => T): T {
    if (this === Body.empty) return make()
    if (this.#derived?.key !== key) this.#derived = { key, value: make() }
    return this.#derived.value as T
  }

  text(charset = 'utf-8'): string {
    return new TextDecoder(charset).decode(this.bytes())
  }

  /** Discards the rest and frees the producer or the temporary file; an open sink fails. */
  cancel(reason?: Error): void {
    if (this === Body.empty) return
    this.#cancelled = true
    // Errors are expensive, and most bodies have ended before their exchange completes.
    if (this.#flow?.isOpen) this.#flow.abort(reason ?? new BodyCancelledError())
    this.#flow = null
    this.#source?.cancel(reason)
    this.#source = null
    this.#stored?.dispose()
    this.#stored = null
    this.#derived = null
  }

  #start(source: BodySource, sink: BodySink): BodyControl {
    const flow = new BodyFlow(source, sink)
    this.#flow = flow
    flow.start()
    return flow
  }

  #consume(): BodySource {
    const source = this.#source
    if (source === null) throw new BodyConsumedError()
    this.#source = null
    return source
  }

  /** Single-flight: concurrent callers share one read. */
  #once(read: () => Promise<boolean>): Promise<boolean> {
    this.#buffering ??= read().finally(() => {
      this.#buffering = null
    })
    return this.#buffering
  }

  async #fill(limit: number): Promise<boolean> {
    if (this.#source === null) throw new BodyConsumedError()
    if (this.#length !== null && this.#length > limit) {
      const error = new BodyTooLargeError(limit)
      // Without a reader the producer would stay paused for ever.
      this.cancel(error)
      throw error
    }
    const writer = memoryWriter(limit)
    try {
      await this.#write(writer)
      this.#setBuffered(await writer.finish())
      return true
    } catch (error) {
      writer.discard()
      throw error
    }
  }

  #setBuffered(stored: Uint8Array | StoredContent): void {
    if (this.#cancelled) throw new BodyCancelledError()
    this.#length = stored.length
    if (stored instanceof Uint8Array) this.#bytes = stored
    else this.#stored = stored
  }

  #write(writer: StorageWriter): Promise<void> {
    return new Promise((resolve, reject) => {
      const abandon = (error: Error) => {
        this.#flow?.cancel(error)
        reject(error)
      }
      const write = (chunk: Uint8Array): boolean => {
        try {
          const pending = writer.write(chunk)
          if (pending === null) return true
          pending.then(() => this.#flow?.resume(), abandon)
        } catch (error) {
          abandon(error as Error)
        }
        return false
      }
      const end = (trailers: readonly string[] | null) => {
        this.#trailers = trailers
        resolve()
      }
      this.pipe({ write, end, fail: reject })
    })
  }
}
