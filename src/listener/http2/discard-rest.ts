import { constants, type ServerHttp2Stream } from 'node:http2'
import { STREAM_WINDOW } from './session-options.ts'
import type { BodyByteCounter } from './stream-body.ts'

const DISCARD_TIMEOUT = 1000

/**
 * Reads and discards the rest of a request body after the response. A client that sends more than a window, or for too
 * long, gets RST_STREAM with NO_ERROR (RFC 9113 section 8.1); not at once, since bytes in flight count as content only while
 * the stream is open.
 */
export function discardRest(stream: ServerHttp2Stream, session: BodyByteCounter): void {
  const stop = () => stream.close(constants.NGHTTP2_NO_ERROR)
  const timer = setTimeout(stop, DISCARD_TIMEOUT).unref()
  stream.once('close', () => clearTimeout(timer))
  let left = STREAM_WINDOW
  stream.removeAllListeners('data')
  stream.on('data', (chunk: Buffer) => {
    session.countBodyBytes(chunk.length)
    if (left < 0) return
    left -= chunk.length
    if (left >= 0) return
    // Another window may be in flight; it is not seen after the reset.
    session.countBodyBytes(STREAM_WINDOW)
    stop()
  })
  stream.resume()
}
