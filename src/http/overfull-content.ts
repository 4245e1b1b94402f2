import { BodyTooLargeError } from './body-errors.ts'
import type { BodyControl, BodySink, BodySource } from './body-flow.ts'
import type { StoredContent } from './stored-content.ts'
import type { StorageWriter } from './temporary-storage.ts'

/** How content ended. */
type End = { readonly trailers: readonly string[] | null } | { readonly error: Error }

/**
 * Content on its way into a storage. What fits is kept; of what does not, the part that was kept, the piece that was
 * too much and everything that still comes can be read as one source, once.
 */
export class OverfullContent implements BodySource {
  readonly #writer: StorageWriter
  readonly #settled = Promise.withResolvers<boolean>()
  #control: BodyControl | null = null
  #kept: BodySource | null = null
  #stored: StoredContent | null = null
  #piece: Uint8Array | null = null
  #sink: BodySink | null = null
  #end: End | null = null
  #waiting = false

  constructor(writer: StorageWriter) {
    this.#writer = writer
  }

  /** Collects what `pipe` delivers; true when all of it is in the storage, false when it is more than fits. */
  async collect(pipe: (sink: BodySink) => BodyControl): Promise<boolean> {
    this.#control = pipe({
      write: (chunk) => (this.#piece === null ? this.#collect(chunk) : this.#pass(chunk)),
      end: (trailers) => this.#ended({ trailers }),
      fail: (error) => this.#ended({ error }),
    })
    const fits = await this.#settled.promise
    if (fits) return true
    const kept = await this.#writer.finish()
    if (kept instanceof Uint8Array) this.#kept = oneChunk(kept)
    else {
      this.#stored = kept
      this.#kept = kept.source(null)
    }
    return false
  }

  /** The trailers of content that fitted. */
  get trailers(): readonly string[] | null {
    return this.#end !== null && 'trailers' in this.#end ? this.#end.trailers : null
  }

  start(sink: BodySink): void {
    this.#sink = sink
    this.#kept?.start({
      write: (chunk) => sink.write(chunk),
      end: () => this.#keptEnded(),
      fail: (error) => {
        this.cancel(error)
        sink.fail(error)
      },
    })
  }

  resume(): void {
    if (this.#kept !== null) this.#kept.resume()
    else if (this.#waiting) this.#goOn()
    else this.#control?.resume()
  }

  cancel(reason?: Error): void {
    this.#sink = null
    this.#kept?.cancel(reason)
    this.#stored?.dispose()
    this.#control?.cancel(reason)
  }

  #collect(chunk: Uint8Array): boolean {
    try {
      const pending = this.#writer.write(chunk)
      if (pending === null) return true
      pending.then(
        () => this.#control?.resume(),
        (error: Error) => this.#broken(error),
      )
    } catch (error) {
      if (!(error instanceof BodyTooLargeError)) this.#broken(error as Error)
      this.#piece = chunk
      this.#settled.resolve(false)
    }
    return false
  }

  #broken(error: Error): void {
    this.#settled.reject(error)
    // The first chunks may come before there is a way to stop them.
    queueMicrotask(() => this.#control?.cancel(error))
  }

  #ended(end: End): void {
    this.#end = end
    if ('error' in end) this.#settled.reject(end.error)
    else this.#settled.resolve(true)
    if (this.#kept === null && !this.#waiting) this.#finish()
  }

  #keptEnded(): void {
    this.#kept = null
    this.#stored?.dispose()
    this.#stored = null
    this.#waiting = true
    if (this.#sink?.write(this.#piece as Uint8Array)) this.#goOn()
  }

  #goOn(): void {
    this.#waiting = false
    if (this.#end === null) this.#control?.resume()
    else this.#finish()
  }

  #pass(chunk: Uint8Array): boolean {
    return this.#sink?.write(chunk) ?? false
  }

  #finish(): void {
    const sink = this.#sink
    const end = this.#end
    this.#sink = null
    if (sink === null || end === null) return
    if ('error' in end) sink.fail(end.error)
    else sink.end(end.trailers)
  }
}

function oneChunk(content: Uint8Array): BodySource {
  let left: Uint8Array | null = content
  let sink: BodySink | null = null
  const end = (): void => {
    const waiting = sink
    sink = null
    waiting?.end(null)
  }
  return {
    start: (to) => {
      sink = to
      const chunk = left
      left = null
      if (chunk === null || chunk.length === 0 || to.write(chunk)) end()
    },
    resume: end,
    cancel: () => {
      sink = null
    },
  }
}
