import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
} from 'node:http2'
import { within } from './waiting.ts'

/** A complete response over HTTP/2. */
export interface H2Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly trailers: IncomingHttpHeaders
  readonly text: string
}

/** Differences from a plain GET. */
export interface H2Asking {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string | string[]>>
  readonly body?: string | Uint8Array
  readonly trailers?: Readonly<Record<string, string>>
}

/** An HTTP/2 connection of a test that trusts any certificate. */
export class H2Client implements AsyncDisposable {
  readonly session: ClientHttp2Session
  /** Resolves when the connection is closed. */
  readonly closed: Promise<void>

  constructor(port: number, options: Readonly<Record<string, unknown>> = {}, scheme: 'http' | 'https' = 'https') {
    this.session = connect(`${scheme}://localhost:${port}`, { rejectUnauthorized: false, ...options })
    this.session.on('error', () => {})
    this.closed = new Promise((resolve) => this.session.once('close', () => resolve()))
  }

  /** Starts a request and returns its stream. */
  open(path: string, { method = 'GET', headers = {}, body, trailers }: H2Asking = {}): ClientHttp2Stream {
    const hasBody = body !== undefined || trailers !== undefined
    const stream = this.session.request(
      { ':path': path, ':method': method, ...headers },
      { endStream: !hasBody, waitForTrailers: trailers !== undefined },
    )
    if (trailers !== undefined) stream.once('wantTrailers', () => stream.sendTrailers({ ...trailers }))
    if (hasBody) stream.end(body)
    return stream
  }

  /** The complete response; rejects where the stream is reset or ends without one. */
  ask(path: string, asking: H2Asking = {}): Promise<H2Answer> {
    return answerOf(this.open(path, asking))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.session.destroy()
    await this.closed
  }
}

/** Reads a stream to its end. */
export function answerOf(stream: ClientHttp2Stream): Promise<H2Answer> {
  const answer = new Promise<H2Answer>((resolve, reject) => {
    const chunks: Buffer[] = []
    let headers: IncomingHttpHeaders & { ':status'?: number | undefined } = {}
    let trailers: IncomingHttpHeaders = {}
    stream.on('response', (received) => {
      headers = received
    })
    stream.on('trailers', (received) => {
      trailers = received
    })
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('error', reject)
    stream.on('close', () => {
      const { rstCode } = stream
      if (rstCode !== undefined && rstCode !== constants.NGHTTP2_NO_ERROR) reject(new Error(`reset with ${rstCode}`))
      else if (headers[':status'] === undefined) reject(new Error('closed without an answer'))
      else resolve({ status: headers[':status'], headers, trailers, text: Buffer.concat(chunks).toString('utf8') })
    })
  })
  return within('the end of the HTTP/2 stream', answer)
}
