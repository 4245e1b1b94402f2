import type { Http1SyntaxError } from '#http1'
import { admit, type ParsedHead } from '../../src/listener/admission.ts'
import { fieldKinds } from '../../src/listener/header-field.ts'
import { RequestParser } from '../../src/listener/http1/request-parser.ts'
import { syntaxRefusal } from '../../src/listener/refusal.ts'
import type { ListenerSettings } from '../../src/listener/settings.ts'

/** A request of a stream. */
export interface ReadRequest {
  readonly head: ParsedHead
  body: string
  /** Null before the end of the message. */
  trailers: readonly string[] | null
  /** Of a head that is not admitted; nothing is parsed after it. */
  readonly refused: number | null
}

/** The requests of a stream, up to the first that is refused, malformed or not complete. */
export interface ReadRequests {
  readonly requests: ReadRequest[]
  /** Of bytes that are no request. */
  error: { readonly message: string; readonly status: number } | null
  /** Whether a part of a head is the last that was received. */
  isWithinHead: boolean
}

export const MAX_HEAD_BYTES = 4_096

const SETTINGS = {
  transactionIdHeader: 'X-Id',
  trustTransactionHeader: false,
  streaming: true,
  maxTotalHeadersSize: MAX_HEAD_BYTES,
} as ListenerSettings

const PEER = {
  address: '192.0.2.1',
  port: 1,
  localAddress: '127.0.0.1',
  localPort: 80,
  scheme: 'http',
  tls: null,
  trust: 'untrusted',
  certificates: [],
} as const

/** The checks of the listener: the length of the body, -1 for chunks, or the status of the refusal. */
export function admitted(head: ParsedHead): { readonly length: number } | { readonly status: number } {
  const result = admit(head, PEER, { settings: SETTINGS, fields: fieldKinds(SETTINGS) })
  return 'problem' in result ? result : { length: result.head.bodyLength }
}

/** Parses bytes received in these chunks, as a connection does whose responses are complete at once. */
export function parseRequests(chunks: readonly Buffer[]): ReadRequests {
  const result: ReadRequests = { requests: [], error: null, isWithinHead: false }
  let isOver = false
  const current = () => result.requests.at(-1)!
  const parser: RequestParser = new RequestParser(MAX_HEAD_BYTES, {
    onBodyData(piece) {
      if (piece.length === 0 || current().trailers !== null) throw new Error('unexpected piece of a body')
      current().body += piece.toString('latin1')
      return true
    },
    onBodyEnd(trailers) {
      current().trailers = trailers
    },
  })
  const begin = () => {
    const { method, target, version } = parser.line
    const head = { method, target, version, fields: parser.fields }
    const admission = admitted(head)
    const refused = 'status' in admission ? admission.status : null
    const length = 'length' in admission ? admission.length : 0
    result.requests.push({ head, body: '', trailers: length === 0 && refused === null ? [] : null, refused })
    isOver = refused !== null
    if (length === 0) parser.begin()
    else parser.beginBody(length)
  }
  try {
    for (const given of chunks) {
      // The parser moves data of small chunks within the buffer.
      const chunk = Buffer.from(given)
      for (let at = 0; at < chunk.length && !isOver; ) {
        const isWithinBody = result.requests.length > 0 && current().trailers === null
        at = isWithinBody ? parser.parseBody(chunk, at) : parser.parseHead(chunk, at)
        if (parser.hasHead) begin()
        else if (parser.isComplete) parser.begin()
      }
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    result.error = {
      message: error.message.replace(/ at byte \d+$/, ''),
      status: syntaxRefusal(error as Http1SyntaxError).status,
    }
  }
  result.isWithinHead = result.error === null && parser.hasPartOfHead
  return result
}
