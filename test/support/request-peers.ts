// The server of node:http, fed with given bytes over a connection in memory, for comparison with our own parser.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Duplex } from 'node:stream'
import { admitted, MAX_HEAD_BYTES, type ReadRequest, type ReadRequests } from './parsed-requests.ts'

/** A connection in memory that receives the bytes, and no end. */
class MemoryConnection extends Duplex {
  readonly remoteAddress = '192.0.2.1'

  override _read(): void {}

  override _write(_chunk: Buffer, _encoding: string, done: () => void): void {
    done()
  }

  setTimeout(): this {
    return this
  }
}

/** Requests as the server of `node:http` parses them, and the checks of the listener admit them. */
export async function parseByNodeServer(bytes: Buffer): Promise<ReadRequests> {
  const result: ReadRequests = { requests: [], error: null, isWithinHead: false }
  const server = createServer({ maxHeaderSize: MAX_HEAD_BYTES, requireHostHeader: false, insecureHTTPParser: false })
  server.maxHeadersCount = 0
  let isOver = false
  const take = (message: IncomingMessage, response: ServerResponse | null) => {
    if (isOver) return
    const { method = '', url = '', httpVersion, rawHeaders } = message
    const head = { method, target: url, version: httpVersion, fields: rawHeaders }
    const admission = admitted(head)
    const refused = 'status' in admission ? admission.status : null
    const read: ReadRequest = { head, body: '', trailers: null, refused }
    result.requests.push(read)
    // It stops after a request to upgrade.
    isOver = refused !== null || /upgrade/i.test(message.headers.connection ?? '')
    message.on('data', (piece: Buffer) => {
      read.body += piece.toString('latin1')
    })
    message.on('error', () => {})
    message.on('end', () => {
      if (message.complete && refused === null) read.trailers = message.rawTrailers
    })
    response?.on('error', () => {}).end()
  }
  server.on('request', take)
  server.on('checkContinue', take)
  server.on('checkExpectation', take)
  server.on('connect', (message) => take(message, null))
  // Without a close, so that the requests before it are read.
  server.on('clientError', (error: NodeJS.ErrnoException) => {
    const status =
      error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW' ? 413 : 400
    if (!isOver) result.error ??= { message: error.code ?? error.message, status }
    isOver = true
  })
  const connection = new MemoryConnection()
  connection.on('error', () => {})
  server.emit('connection', connection)
  connection.push(bytes)
  for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve))
  connection.destroy()
  server.close()
  return result
}
