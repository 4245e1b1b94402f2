import assert from 'node:assert/strict'
import { test } from 'node:test'
import { respond } from '#http'
import { FRAME, FrameClient, frame, literal } from '#test/h2-frames'
import { listening } from '#test/listening'

const HEAD = { ':method': 'GET', ':scheme': 'http', ':authority': 'a.example', ':path': '/' }

/** What becomes of a request with one more field: its stream is reset, or its fields beside the pseudo-header fields arrive. */
async function outcomeOf(name: string, value: string): Promise<'reset' | readonly string[]> {
  let fields: readonly string[] = []
  await using server = await listening(async ({ request }) => {
    fields = [...request.headers]
      .map((field) => field.join(': '))
      .filter((field) => !/^(?:Host|X-Forwarded)/.test(field))
    return respond(204)
  })
  await using client = await FrameClient.open(server.port, 'http')
  client.send(frame(FRAME.headers, 5, 1, literal({ ...HEAD, [name]: value, 'x-last': 'b' })))
  const { type } = await client.receives(({ stream }) => stream === 1)
  return type === FRAME.reset ? 'reset' : fields
}

for (const [name, value] of [
  [':path', '/a\r\nx: y'],
  [':authority', 'a.example\0'],
  [':method', 'GET\n'],
  ['content-length', '0\r\n'],
  ['X-Upper', 'a'],
  ['connection', 'x-last'],
  ['te', 'gzip'],
] as const) {
  test(`B9: the malformed field ${JSON.stringify(`${name}: ${value}`)} resets its stream`, async () => {
    assert.equal(await outcomeOf(name, value), 'reset')
  })
}

// A limit of node:http2, spec gap malformed-fields: nghttp2 drops such fields without a callback. This fails when Node resets the stream.
for (const [name, value] of [
  ['x-a', 'a\r\nx-b: c'],
  ['x-a', 'a\0'],
  ['x-a', 'a\nb'],
  ['authorization', 'Bearer a\r\n'],
  ['cookie', 'a=b\r\nx: y'],
  ['x a', 'b'],
  ['x-a:', 'b'],
] as const) {
  test(`B9: the malformed field ${JSON.stringify(`${name}: ${value}`)} is dropped, and never forwarded`, async () => {
    assert.deepEqual(await outcomeOf(name, value), ['x-last: b'])
  })
}
