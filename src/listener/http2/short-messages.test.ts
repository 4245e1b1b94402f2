import assert from 'node:assert/strict'
import { test } from 'node:test'
import { respond } from '#http'
import { FRAME, FrameClient, frame, framesOf, literal } from '#test/h2-frames'
import { listening } from '#test/listening'
import { waitUntil } from '#test/waiting'

const POST = literal({ ':method': 'POST', ':scheme': 'http', ':authority': 'a', ':path': '/' })
const FRAMES = 60_000

/** Bytes that the windows of the connection and of stream 1 allow, of those sent since the start. */
function allowed(received: Buffer): number {
  let [connection, stream] = [65_535, 65_535]
  for (const { type, flags, stream: id, payload } of framesOf(received)) {
    if (type === FRAME.windowUpdate && id === 0) connection += payload.readUInt32BE(0)
    if (type === FRAME.windowUpdate && id === 1) stream += payload.readUInt32BE(0)
    if (type !== FRAME.settings || flags !== 0) continue
    for (let at = 0; at < payload.length; at += 6) {
      if (payload.readUInt16BE(at) === 4) stream += payload.readUInt32BE(at + 2) - 65_535
    }
  }
  return Math.min(connection, stream)
}

for (const size of [1, 7]) {
  test(`${FRAMES} DATA frames of ${size} bytes are content, not a flood, and are forwarded in few pieces`, async () => {
    const seen = { bytes: 0, pieces: 0, order: true }
    await using server = await listening(async ({ request }) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      request.body.pipe({
        write: (chunk) => {
          for (const byte of chunk) if (byte !== Math.floor(seen.bytes++ / size) % 251) seen.order = false
          seen.pieces++
          return true
        },
        end: () => resolve(),
        fail: reject,
      })
      await promise
      return respond(200, {}, 'ok')
    })
    await using client = await FrameClient.open(server.port, 'http')
    client.send(frame(FRAME.headers, 4, 1, POST))
    for (let sent = 0; sent < FRAMES; ) {
      const room = () => Math.floor(allowed(client.received) / size) - sent
      await waitUntil('the window is open', () => client.socket.destroyed || room() > 0)
      assert.equal(client.socket.destroyed, false, `closed after ${sent} frames`)
      const fits = Math.min(500, FRAMES - sent, room())
      client.send(
        ...Array.from({ length: fits }, (_, at) => frame(FRAME.data, 0, 1, Buffer.alloc(size, (sent + at) % 251))),
      )
      sent += fits
      await client.flushed()
    }
    client.send(frame(FRAME.data, 1, 1))
    const { payload } = await client.receives(({ type, stream }) => type === FRAME.data && stream === 1)
    assert.equal(payload.toString(), 'ok')
    assert.deepEqual([seen.bytes, seen.order], [FRAMES * size, true])
    assert.ok(seen.pieces < FRAMES / 10, `${seen.pieces} pieces`)
  })
}
