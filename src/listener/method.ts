import { METHODS } from 'node:http'
import { isToken } from '#http'

const MAX_METHOD = 32
const NO_LOWER_CASE = /^[A-Z][^a-z]*$/

/** Whether a method is well-formed: a token, as registered methods are spelt. */
export function isMethod(text: string): boolean {
  return NO_LOWER_CASE.test(text) && isToken(text, MAX_METHOD)
}

// The parser also knows RTSP and Icecast; methods that only those have are none of HTTP.
const httpMethods: ReadonlySet<string> = new Set(METHODS.filter((method) => method !== 'SOURCE'))

/** Whether the parser of HTTP/1.1 takes requests with this method. */
export function isKnownMethod(method: string): boolean {
  return httpMethods.has(method)
}

const LONGEST_LINE = 16_384
const REQUEST_LINE = /^(?:\r\n)?([A-Z][^ \r\n]{0,31}) [!-~\x80-\xff]+ HTTP\/1\.[01]\r\n/

/** An error of the parser, with the bytes it was given and the offset at which it stopped. */
export interface ParserError extends Error {
  readonly code?: string
  readonly rawPacket?: Buffer
  readonly bytesParsed?: number
}

/**
 * Whether the parser stopped only because it does not know the method of a well-formed request line. The packet must begin
 * with that line: bytes in the middle of a packet can be the rest of an earlier request.
 */
export function stoppedAtUnknownMethod({ code, rawPacket, bytesParsed }: ParserError): boolean {
  if (rawPacket === undefined || bytesParsed === undefined) return false
  const line = REQUEST_LINE.exec(rawPacket.toString('latin1', 0, LONGEST_LINE))
  if (line === null || !isMethod(line[1]!) || isKnownMethod(line[1]!)) return false
  if (code === 'HPE_INVALID_METHOD') return bytesParsed < line[0].length
  // Methods of RTSP are refused when the name of the protocol has been read.
  return code === 'HPE_INVALID_CONSTANT' && bytesParsed === line[0].length - '/1.1\r\n'.length
}
