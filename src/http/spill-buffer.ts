import { BodyTooLargeError } from './body-errors.ts'
import type { BodyControl, BodySink, BodySource } from './body-flow.ts'
import type { StoredContent } from './stored-content.ts'
import type { StorageWriter } from './temporary-storage.ts'

/** How content ended. */
type End = { readonly trailers: readonly string[] | null } | { readonly error: Error }

/**
 * Buffers content in a storage up to its limit. Content that exceeds it is a source, read once: first the stored part, then
 * the chunk that did not fit, then the rest as it arrives.
 */
export class SpillBuffer implements BodySource {
  readonly #writer: StorageWriter
  readonly #settled = Promise.withResolvers<boolean>()
  #control: BodyControl | null = null
  #prefix: BodySource | null = null
  #stored: StoredContent | null = null
  #excess: Uint8Array | null = null
  #sink: BodySink | null = null
  #end: End | null = null
  #waiting = false

  constructor(writer: StorageWriter) {
    this.#writer = writer
  }

  /** Stores the content of `pipe`; false where it exceeds the storage. */
  async collect(pipe: (sink: BodySink) => BodyControl): Promise<boolean> {
    this.#control = pipe({
      write: (chunk) => (this.#excess === null ? this.#collect(chunk) : this.#forward(chunk)),
      end: (trailers) => this.#ended({ trailers }),
      fail: (error) => this.#ended({ error }),
    })
    const fits = await this.#settled.promise
    if (fits) return true
    const kept = await this.#writer.finish()
    if (kept instanceof Uint8Array) this.#prefix = oneChunk(kept)
    else {
      this.#stored = kept
      this.#prefix = kept.source(null)
    }
    return false
  }

  /** Trailers of content within the limit. */
  get trailers(): readonly string[] | null {
    return this.#end !== null && 'trailers' in this.#end ? this.#end.trailers : null
  }

  start(sink: BodySink): void {
    this.#sink = sink
    this.#prefix?.start({
      write: (chunk) => sink.write(chunk),
      end: () => this.#onPrefixEnd(),
      fail: (error) => {
        this.cancel(error)
        sink.fail(error)
      },
    })
  }

  resume(): void {
    if (this.#prefix !== null) this.#prefix.resume()
    else if (this.#waiting) this.#continue()
    else this.#control?.resume()
  }

  cancel(reason?: Error): void {
    this.#sink = null
    this.#prefix?.cancel(reason)
    this.#stored?.dispose()
    this.#control?.cancel(reason)
  }

  #collect(chunk: Uint8Array): boolean {
    try {
      const pending = this.#writer.write(chunk)
      if (pending === null) return true
      pending.then(
        () => this.#control?.resume(),
        (error: Error) => this.#onWriteError(error),
      )
    } catch (error) {
      if (!(error instanceof BodyTooLargeError)) this.#onWriteError(error as Error)
      this.#excess = chunk
      this.#settled.resolve(false)
    }
    return false
  }

  #onWriteError(error: Error): void {
    this.#settled.reject(error)
    // `pipe` may write before it returns the control.
    queueMicrotask(() => this.#control?.cancel(error))
  }

  #ended(end: End): void {
    this.#end = end
    if ('error' in end) this.#settled.reject(end.error)
    else this.#settled.resolve(true)
    if (this.#prefix === null && !this.#waiting) this.#finish()
  }

  #onPrefixEnd(): void {
    this.#prefix = null
    this.#stored?.dispose()
    this.#stored = null
    this.#waiting = true
    if (this.#sink?.write(this.#excess as Uint8Array)) this.#continue()
  }

  #continue(): void {
    this.#waiting = false
    if (this.#end === null) this.#control?.resume()
    else this.#finish()
  }

  #forward(chunk: Uint8Array): boolean {
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
