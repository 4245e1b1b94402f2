import assert from 'node:assert/strict'
import { constants } from 'node:http2'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type Exchange, respond } from '#http'
import { Authority, type Issued, opensslMissing, serverTlsOf } from '#test/certificates'
import { answerOf, H2Client } from '#test/h2-client'
import { FRAME, FrameClient, frame, framesOf, literal } from '#test/h2-frames'
import { listening } from '#test/listening'

const options = { skip: opensslMissing }
const authority = opensslMissing === false ? new Authority() : null
const issued = authority?.issue({ name: 'localhost' }) as Issued
after(() => authority?.[Symbol.dispose]())

const deny = async () => respond(401, {}, 'no')
// With a short idle time the listener checks often.
const secure = (handler: (exchange: Exchange) => ReturnType<typeof deny>) =>
  listening(handler, { tls: serverTlsOf(issued), idleTimeout: 400 })

const POST = literal({ ':method': 'POST', ':scheme': 'https', ':authority': 'localhost', ':path': '/' })
const END_HEADERS = 4

test('unread uploads that got a response do not count as a flood', options, async () => {
  await using server = await secure(deny)
  await using client = new H2Client(server.port)
  for (const end = performance.now() + 1_000; performance.now() < end; ) {
    const answers = Array.from({ length: 8 }, () => client.ask('/', { method: 'POST', body: Buffer.alloc(100_000) }))
    for (const { status } of await Promise.all(answers)) assert.equal(status, 401)
  }
  assert.equal(client.session.closed, false)
  assert.deepEqual(
    server.log.entries.filter(({ level }) => level === 'warn'),
    [],
  )
})

test('uploads that wait to be read do not count as a flood', options, async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await using server = await secure(async ({ request }) => {
    await released
    return respond(200, {}, String((await request.body.read(200_000)).length))
  })
  await using client = new H2Client(server.port)
  const uploads = Array.from({ length: 20 }, () => client.ask('/', { method: 'POST', body: Buffer.alloc(120_000) }))
  // The listener checks several times. Further requests would raise what it allows.
  for (let waits = 0; waits < 20; waits++) {
    await pause(50)
    assert.equal(client.session.closed, false, 'closed as a flood')
  }
  release()
  for (const { text } of await Promise.all(uploads)) assert.equal(text, '120000')
  assert.deepEqual(
    server.log.entries.filter(({ level }) => level === 'warn'),
    [],
  )
})

test(
  'the rest of an upload is discarded after the response up to a limit, then the stream is reset',
  options,
  async () => {
    await using server = await secure(deny)
    await using client = new H2Client(server.port)
    const stream = client.session.request({ ':path': '/', ':method': 'POST' })
    const answer = answerOf(stream)
    const piece = Buffer.alloc(16_384)
    const fill = (): void => {
      while (!stream.destroyed && stream.write(piece));
    }
    stream.on('drain', fill)
    fill()
    assert.equal((await answer).status, 401)
    assert.equal(stream.rstCode, constants.NGHTTP2_NO_ERROR)
    assert.equal((await client.ask('/')).status, 401)
  },
)

test('an upload that stalls after the response is reset after the time-out', options, async () => {
  await using server = await secure(deny)
  await using client = new H2Client(server.port)
  const stream = client.session.request({ ':path': '/', ':method': 'POST' })
  stream.write('some')
  assert.equal((await answerOf(stream)).status, 401)
})

test(
  'a second head without END_STREAM resets the stream with PROTOCOL_ERROR, also after the response',
  options,
  async () => {
    await using server = await secure(deny)
    for (let round = 0; round < 20; round++) {
      await using client = await FrameClient.open(server.port)
      const malformed = frame(FRAME.headers, END_HEADERS, 1, literal({ 'x-a': 'b' }))
      client.send(frame(FRAME.headers, END_HEADERS, 1, POST))
      // Half of them arrive after the response.
      if (round % 2 === 0) await client.receives(({ type, stream }) => type === FRAME.headers && stream === 1)
      client.send(malformed)
      const reset = await client.receives(({ type }) => type === FRAME.reset)
      assert.equal(reset.payload.readUInt32BE(0), constants.NGHTTP2_PROTOCOL_ERROR)
    }
  },
)

test('a session closed for a flood gets GOAWAY with ENHANCE_YOUR_CALM', options, async () => {
  await using server = await secure(deny)
  await using client = await FrameClient.open(server.port)
  // Fewer frames than the flood limit of nghttp2 itself.
  client.send(...Array.from({ length: 100 }, () => frame(0xbb, 0, 0, Buffer.alloc(16_384))))
  await client.closed
  const goaway = framesOf(client.received).find(({ type }) => type === FRAME.goaway)
  assert.equal(goaway?.payload.readUInt32BE(4), constants.NGHTTP2_ENHANCE_YOUR_CALM)
  assert.equal(server.log.entries.filter(({ reason }) => reason === 'a flood of frames').length, 1)
})

test('a field with the value content-length does not affect the body', options, async () => {
  await using server = await secure(async ({ request }) =>
    respond(200, {}, Buffer.from(await request.body.read(1_000)).toString()),
  )
  await using client = new H2Client(server.port)
  const headers = { 'access-control-request-headers': 'content-length', 'x-list': 'content-length' }
  assert.equal((await client.ask('/', { method: 'POST', body: 'whole', headers })).text, 'whole')
})
