import { constants, type ServerHttp2Stream } from 'node:http2'
import { WINDOW_OF_STREAM } from './session-options.ts'
import type { BodyByteCounter } from './stream-body.ts'

/** How long the client may take to notice that it has its answer. */
const DISCARD_TIME = 1000

/**
 * Reads and drops the rest of a request that was answered. A client that sends much more is told to stop (RFC 9113 section
 * 8.1), but not at once: most of what it sends is under way already, and counts as content only while the stream is open.
 */
export function discardRest(stream: ServerHttp2Stream, session: BodyByteCounter): void {
  const stop = () => stream.close(constants.NGHTTP2_NO_ERROR)
  const timer = setTimeout(stop, DISCARD_TIME).unref()
  stream.once('close', () => clearTimeout(timer))
  let left = WINDOW_OF_STREAM
  stream.removeAllListeners('data')
  stream.on('data', (chunk: Buffer) => {
    session.countBodyBytes(chunk.length)
    if (left < 0) return
    left -= chunk.length
    if (left >= 0) return
    // Another window may be under way, of which nothing is seen after the reset.
    session.countBodyBytes(WINDOW_OF_STREAM)
    stop()
  })
  stream.resume()
}
