import { validateHeaderName, validateHeaderValue } from 'node:http'
import type { ServerHttp2Stream } from 'node:http2'
import type { ResponseTarget } from '../response-writer.ts'

/** The header list of a response in HTTP/2: names in lower case, each checked; throws for what can not be sent. */
export function streamHeaders(status: number, raw: readonly string[]): string[] {
  const list = [':status', String(status)]
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]!
    const value = raw[i + 1]!
    validateHeaderName(name)
    validateHeaderValue(name, value)
    list.push(name.toLowerCase(), value)
  }
  return list
}

/** A stream as the response writer sees it: trailers go out when the last byte has. */
export class StreamTarget implements ResponseTarget {
  readonly chunkedEncoding = true
  readonly #stream: ServerHttp2Stream
  #trailers: Record<string, string | string[]> = {}

  constructor(stream: ServerHttp2Stream) {
    this.#stream = stream
    stream.once('wantTrailers', () => {
      if (!stream.destroyed && !stream.closed) stream.sendTrailers(this.#trailers)
    })
  }

  write(chunk: Uint8Array): boolean {
    return this.#stream.write(chunk)
  }

  end(text?: string, encoding?: BufferEncoding): void {
    if (text === undefined) this.#stream.end()
    else this.#stream.end(Buffer.from(text, encoding))
  }

  once(_event: 'drain', listener: () => void): void {
    this.#stream.once('drain', listener)
  }

  addTrailers(pairs: readonly [string, string][]): void {
    const trailers: Record<string, string | string[]> = Object.create(null)
    for (const [name, value] of pairs) {
      validateHeaderName(name)
      validateHeaderValue(name, value)
      const lower = name.toLowerCase()
      const known = trailers[lower]
      trailers[lower] = known === undefined ? value : [known, value].flat()
    }
    this.#trailers = trailers
  }
}
