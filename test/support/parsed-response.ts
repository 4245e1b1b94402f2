import { type ResponseEvents, type ResponseHead, ResponseParser } from '../../src/client/http1/response-parser.ts'

/** The request of a parsed response, and the connection. */
export interface ParseOptions {
  readonly method?: string
  readonly allowUpgrade?: boolean
  readonly maxHeadBytes?: number
  /** Whether the connection is closed after the bytes. */
  readonly closes?: boolean
}

/** A parsed response. Pieces of its body are joined: they depend on the chunks. */
export interface ParsedResponse {
  readonly interims: (readonly [status: number, reason: string, fields: readonly string[]])[]
  head: ResponseHead | null
  body: string
  /** Null before the end of the response. */
  trailers: readonly string[] | null
  /** Bytes after the end of the response or its upgrade. */
  excess: number
  error: { readonly name: string; readonly message: string; readonly offset: number } | null
}

/** Parses bytes received in these chunks. Fails where an event follows the end, or a piece is empty or copied. */
export function parseResponse(chunks: readonly Buffer[], options: ParseOptions = {}): ParsedResponse {
  const { method = 'GET', allowUpgrade = false, maxHeadBytes = 65_536, closes = true } = options
  const result: ParsedResponse = { interims: [], head: null, body: '', trailers: null, excess: 0, error: null }
  let current: Buffer = Buffer.alloc(0)
  const check = (isExpected: boolean, event: string) => {
    if (!isExpected || result.trailers !== null || result.error !== null) throw new Error(`unexpected ${event}`)
  }
  const events: ResponseEvents = {
    onInterim(status, reason, fields) {
      check(result.head === null, 'informational response')
      result.interims.push([status, reason, fields])
    },
    onHead(head) {
      check(result.head === null, 'head')
      result.head = head
    },
    onData(piece) {
      check(result.head !== null && piece.length > 0 && piece.buffer === current.buffer, 'piece of the body')
      result.body += piece.toString('latin1')
    },
    onComplete(trailers) {
      check(result.head !== null, 'end')
      result.trailers = trailers
    },
  }
  const parser = new ResponseParser({ maxHeadBytes }, events)
  parser.expect(method, allowUpgrade)
  try {
    for (const chunk of chunks) {
      current = chunk
      result.excess += chunk.length - parser.execute(chunk)
    }
    if (closes) parser.finish()
  } catch (error) {
    if (!(error instanceof Error && 'offset' in error)) throw error
    result.error = { name: error.name, message: error.message, offset: Number(error.offset) }
    // Nothing is interpreted after an error.
    if (parser.execute(Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')) !== 0)
      throw new Error('not stopped')
    parser.finish()
  }
  return result
}
