import { Readable } from 'node:stream'
import type { BodyControl, BodySink, BodySource } from './body-flow.ts'

/** A stream that stopped before its end. */
export class StreamAbortedError extends Error {
  override readonly name = 'StreamAbortedError'
  readonly code = 'GW_BODY_ABORTED'
  constructor() {
    super('body: the stream was closed before its end')
  }
}

const ignore = () => undefined

/** Pushes the chunks of a Readable; a stream that closes before its end is a failure. */
export class StreamSource implements BodySource {
  readonly stream: Readable
  #detach: (() => void) | null = null

  constructor(stream: Readable) {
    this.stream = stream
    // An error before start() must not end the process; start() reads stream.errored.
    stream.on('error', ignore)
  }

  start(sink: BodySink): void {
    const stream = this.stream
    if (stream.destroyed || stream.readableEnded) {
      sink.fail(stream.errored ?? new StreamAbortedError())
      return
    }
    const onData = (chunk: Uint8Array | string) => {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk, stream.readableEncoding ?? 'utf8') : chunk
      if (!sink.write(bytes)) stream.pause()
    }
    const onEnd = () => {
      this.#stop()
      sink.end(rawTrailers(stream))
    }
    const onError = (error: Error) => {
      this.#stop()
      sink.fail(error)
    }
    const onClose = () => {
      this.#stop()
      sink.fail(stream.errored ?? new StreamAbortedError())
    }
    this.#detach = () => {
      stream.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose)
    }
    stream.on('end', onEnd).on('error', onError).on('close', onClose).on('data', onData)
    stream.resume()
  }

  resume(): void {
    if (this.#detach !== null) this.stream.resume()
  }

  cancel(reason?: Error): void {
    this.#stop()
    // Destroying the stream of a request would close the connection before the response; the server discards the rest.
    if (isServerRequest(this.stream)) this.stream.pause()
    else this.stream.destroy(reason)
  }

  #stop(): void {
    this.#detach?.()
    this.#detach = null
  }
}

/** Whether a stream is a request of a node:http or node:http2 server. */
function isServerRequest(stream: Readable): boolean {
  const { method, statusCode } = stream as { method?: unknown; statusCode?: unknown }
  return typeof method === 'string' && (statusCode === null || statusCode === undefined)
}

function rawTrailers(stream: Readable): readonly string[] | null {
  const { rawTrailers: list } = stream as { rawTrailers?: unknown }
  return Array.isArray(list) && list.length > 0 ? list : null
}

/** A Readable fed by a pipe function, with trailers as in node:http. */
export class BodyReadable extends Readable {
  readonly #pipe: (sink: BodySink) => BodyControl
  readonly #unused: ((reason?: Error) => void) | null
  #control: BodyControl | null = null
  #started = false
  rawTrailers: readonly string[] = []

  /** `unused` is called when the stream is destroyed before anything was read from it. */
  constructor(pipe: (sink: BodySink) => BodyControl, unused: ((reason?: Error) => void) | null = null) {
    super()
    this.#pipe = pipe
    this.#unused = unused
  }

  override _read(): void {
    if (this.#started) {
      this.#control?.resume()
      return
    }
    this.#started = true
    this.#control = this.#pipe({
      write: (chunk) => this.push(chunk),
      end: (trailers) => {
        this.rawTrailers = trailers ?? []
        this.push(null)
      },
      fail: (error) => {
        this.destroy(error)
      },
    })
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    if (this.#started) this.#control?.cancel(error ?? undefined)
    else this.#unused?.(error ?? undefined)
    callback(error)
  }
}
