// Other HTTP/1.1 clients, fed with given bytes over a connection in memory, for comparison with our own parser.
import { request } from 'node:http'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { Client } from 'undici'

/** A response as a peer has parsed it; an error where it was rejected. */
export interface PeerResponse {
  status: number
  reason: string
  fields: string[]
  body: string
  trailers: string[]
  isUpgrade: boolean
  /** Whether the peer has reported the end of the response. */
  isComplete: boolean
  error: string | null
}

/** A connection in memory: the bytes are received once the request is written, then the end. */
class MemoryConnection extends Duplex {
  readonly #bytes: Buffer
  #isSent = false
  connecting = false
  timeout = 0
  remoteAddress = '127.0.0.1'

  constructor(bytes: Buffer) {
    super()
    this.#bytes = bytes
  }

  override _read(): void {}

  override _write(_chunk: Buffer, _encoding: string, done: () => void): void {
    done()
    if (this.#isSent) return
    this.#isSent = true
    setImmediate(() => {
      this.push(this.#bytes)
      this.push(null)
    })
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }

  setTimeout(): this {
    return this
  }

  setNoDelay(): this {
    return this
  }

  setKeepAlive(): this {
    return this
  }
}

function emptyResponse(): PeerResponse {
  return {
    status: 0,
    reason: '',
    fields: [],
    body: '',
    trailers: [],
    isUpgrade: false,
    isComplete: false,
    error: null,
  }
}

const codeOf = (error: Error) => ('code' in error ? String(error.code) : error.message)

/** The response as the client of `node:http` parses it. */
export function parseByNode(bytes: Buffer, method: string): Promise<PeerResponse> {
  const result = emptyResponse()
  return new Promise((resolve) => {
    const connection = new MemoryConnection(bytes)
    const outgoing = request({
      method,
      path: '/',
      host: 'a',
      createConnection: () => connection as unknown as Socket,
    })
    const fail = (error: Error) => {
      result.error ??= codeOf(error)
      connection.destroy()
    }
    connection.on('error', fail)
    // Emitted after every event of the response.
    connection.on('close', () => setImmediate(resolve, result))
    outgoing.on('error', fail)
    outgoing.on('upgrade', (response) => {
      Object.assign(result, { status: response.statusCode, isUpgrade: true })
      connection.destroy()
    })
    outgoing.on('response', (response) => {
      result.status = response.statusCode ?? 0
      result.reason = response.statusMessage ?? ''
      result.fields = response.rawHeaders
      response.on('data', (piece: Buffer) => {
        result.body += piece.toString('latin1')
      })
      response.on('error', fail)
      response.on('end', () => {
        result.isComplete = response.complete
        result.trailers = response.rawTrailers
      })
    })
    outgoing.end()
  })
}

/** The response as undici parses it. */
export async function parseByUndici(bytes: Buffer, method: string): Promise<PeerResponse> {
  const result = emptyResponse()
  const connection = new MemoryConnection(bytes)
  const client = new Client('http://a', {
    connect: (_options, done) => process.nextTick(done, null, connection as unknown as Socket),
  })
  const latin1 = (list: unknown) => ((list ?? []) as Buffer[]).map((each) => each.toString('latin1'))
  await new Promise<void>((resolve) => {
    client.dispatch(
      { method, path: '/' },
      {
        onRequestStart() {},
        onResponseStart(controller, status, _headers, reason) {
          if (status < 200) return
          result.status = status
          result.reason = reason ?? ''
          result.fields = latin1(controller.rawHeaders)
        },
        onResponseData(_controller, piece) {
          result.body += piece.toString('latin1')
        },
        onResponseEnd(controller) {
          result.isComplete = true
          result.trailers = latin1(controller.rawTrailers)
          resolve()
        },
        onResponseError(_controller, error) {
          result.error = codeOf(error)
          resolve()
        },
      },
    )
  })
  await client.destroy()
  return result
}
