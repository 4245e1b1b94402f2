import type { Socket } from 'node:net'
import type { ParserError } from '../method.ts'

/** First bytes of a client of HTTP/2 (RFC 9113 section 3.4). */
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1')

/**
 * The preface and the bytes after it, where the parser of HTTP/1.1 stopped at it, and it is the start of the connection; otherwise null.
 * The parser matches it in pieces too, so that HTTP/1.1 pays nothing for the detection, and an incomplete preface has the
 * time-out of a request head. Of a preface in pieces only the last is there to compare: the parser has accepted the rest, and
 * of 24 bytes in all only the target (`*` or `/`) and the version can be others.
 */
export function prefaceOf(error: ParserError, socket: Socket): Buffer | null {
  const { code, rawPacket, bytesParsed } = error
  if (code !== 'HPE_PAUSED_H2_UPGRADE' || rawPacket === undefined || bytesParsed === undefined) return null
  const rest = rawPacket.subarray(bytesParsed)
  if (socket.bytesRead - rest.length !== PREFACE.length) return null
  const last = rawPacket.subarray(0, bytesParsed)
  return PREFACE.subarray(PREFACE.length - last.length).equals(last) ? Buffer.concat([PREFACE, rest]) : null
}

/** Removes the parser and the listeners of node:http from a socket whose bytes it has read, and puts the bytes back. */
export function detachParser(socket: Socket, bytes: Buffer): void {
  // The first one is that of node:http, and frees its parser; all others were added for a connection of HTTP/1.1.
  const [freeParser] = socket.listeners('close') as (() => void)[]
  for (const event of ['close', 'data', 'end', 'drain', 'timeout', 'pause', 'resume']) socket.removeAllListeners(event)
  freeParser?.call(socket)
  // node:http accepts half-open sockets; a client of HTTP/2 that ends its side has disconnected, as over TLS.
  socket.once('end', () => socket.destroy())
  socket.setTimeout(0)
  socket.pause()
  socket.unshift(bytes)
}
