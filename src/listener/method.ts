import { METHODS } from 'node:http'
import { isToken } from '#http'

const MAX_METHOD = 32
const NO_LOWER_CASE = /^[A-Z][^a-z]*$/

/** Whether a method is well-formed: a token, as registered methods are spelt. */
export function isMethod(text: string): boolean {
  return NO_LOWER_CASE.test(text) && isToken(text, MAX_METHOD)
}

// The parser also accepts SOURCE, of Icecast.
const httpMethods: ReadonlySet<string> = new Set(METHODS.filter((method) => method !== 'SOURCE'))

/** Whether the HTTP/1.1 parser accepts the method. */
export function isKnownMethod(method: string): boolean {
  return httpMethods.has(method)
}

const MAX_LINE = 16_384
const REQUEST_LINE = /^(?:\r\n)?([A-Z][^ \r\n]{0,31}) [!-~\x80-\xff]+ HTTP\/1\.[01]\r\n/

/** An error of the parser, with its input and the offset at which it stopped. */
export interface ParserError extends Error {
  readonly code?: string
  readonly rawPacket?: Buffer
  readonly bytesParsed?: number
}

/**
 * Whether the parser stopped only at the unknown method of a well-formed request line. The packet must begin with that line:
 * bytes within a packet can belong to an earlier request.
 */
export function stoppedAtUnknownMethod({ code, rawPacket, bytesParsed }: ParserError): boolean {
  if (rawPacket === undefined || bytesParsed === undefined) return false
  const line = REQUEST_LINE.exec(rawPacket.toString('latin1', 0, MAX_LINE))
  if (line === null || !isMethod(line[1]!) || isKnownMethod(line[1]!)) return false
  if (code === 'HPE_INVALID_METHOD') return bytesParsed < line[0].length
  // RTSP methods are refused after the protocol name.
  return code === 'HPE_INVALID_CONSTANT' && bytesParsed === line[0].length - '/1.1\r\n'.length
}
