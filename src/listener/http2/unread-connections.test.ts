import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { Body, Response } from '#http'
import { FRAME, FrameClient, frame, literal } from '#test/h2-frames'
import { listening } from '#test/listening'
import { waitUntil, within } from '#test/waiting'

const MAX_WINDOW = 2 ** 31 - 1
const GET = literal({ ':method': 'GET', ':scheme': 'http', ':authority': 'localhost', ':path': '/' })
/** Of a type that receivers ignore. */
const UNKNOWN = frame(0xbe, 0, 0)

/** A request whose response is limited by the socket alone. */
function requestOfAllBytes(): Buffer {
  const setting = Buffer.alloc(6)
  setting.writeUInt16BE(4, 0)
  setting.writeUInt32BE(MAX_WINDOW, 2)
  const increment = Buffer.alloc(4)
  increment.writeUInt32BE(MAX_WINDOW - 65_535)
  return Buffer.concat([
    frame(FRAME.settings, 0, 0, setting),
    frame(FRAME.windowUpdate, 0, 0, increment),
    frame(FRAME.headers, 5, 1, GET),
  ])
}

function endless(): PassThrough {
  const stream = new PassThrough()
  const chunk = Buffer.alloc(65_536)
  const fill = () => {
    while (stream.write(chunk)) {}
  }
  stream.on('drain', fill)
  fill()
  return stream
}

test('F8: the connection of a client that reads nothing is closed after idleTimeout', async () => {
  const aborted = Promise.withResolvers<Error>()
  await using server = await listening(
    async (exchange) => {
      exchange.onAbort(aborted.resolve)
      return new Response(200, { body: Body.fromStream(endless()) })
    },
    { idleTimeout: 200, keepAliveTimeout: 200 },
  )
  await using client = await FrameClient.open(server.port, 'http')
  client.socket.pause()
  client.send(requestOfAllBytes())
  await within('the exchange was aborted', aborted.promise)
  // A paused socket learns that its connection is closed when it writes.
  await waitUntil('the connection was closed', () => !client.send(UNKNOWN) && client.socket.destroyed)
})
