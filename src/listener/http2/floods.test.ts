import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { respond } from '#http'
import { Authority, type Issued, opensslMissing, serverTlsOf } from '#test/certificates'
import { H2Client } from '#test/h2-client'
import { FRAME, FrameClient, frame, GET, literal } from '#test/h2-frames'
import { FLOODS } from '#test/hostile/http2-floods'
import { listening } from '#test/listening'
import { waitUntil, within } from '#test/waiting'

const options = { skip: opensslMissing }
const authority = opensslMissing === false ? new Authority() : null
const issued = authority?.issue({ name: 'localhost' }) as Issued
after(() => authority?.[Symbol.dispose]())

const EIGHT = Buffer.alloc(8)

for (const [name, turn] of Object.entries(FLOODS)) {
  test(`a flood of ${name} closes its connection; others are served meanwhile (F25)`, options, async () => {
    await using server = await listening(async () => respond(200, {}, 'ok'), { tls: serverTlsOf(issued) })
    await using attacker = await FrameClient.open(server.port)
    await using victim = new H2Client(server.port)
    let [asked, answered, slowest] = [0, 0, 0]
    let over = false
    void attacker.closed.then(() => {
      over = true
    })
    for (let round = 0; !over && round < 5_000; round++) {
      attacker.send(...Array.from({ length: 200 }, (_, at) => turn(round * 200 + at)).flat())
      await attacker.flushed()
      if (round % 20 !== 0) continue
      const began = process.cpuUsage()
      asked++
      if ((await victim.ask('/')).status === 200) answered++
      const { user, system } = process.cpuUsage(began)
      slowest = Math.max(slowest, (user + system) / 1000)
    }
    assert.equal(over, true, 'the attacker is still connected')
    assert.equal(answered, asked)
    assert.ok(slowest < 1000, `the slowest response took ${slowest} ms of CPU, floods included`)
    assert.equal((await victim.ask('/')).status, 200)
    await waitUntil('no request was active', () => server.listener.stats.active === 0)
  })
}

for (const scheme of ['http', 'https'] as const) {
  test(
    `${scheme}: of stream resets in one write few are processed; the connection is counted and logged (F25)`,
    options,
    async () => {
      let handled = 0
      await using server = await listening(
        async (exchange) => {
          handled++
          await new Promise((resolve) => exchange.onAbort(resolve))
          return respond(200)
        },
        scheme === 'https' ? { tls: serverTlsOf(issued) } : {},
      )
      await using attacker = await FrameClient.open(server.port, scheme)
      const reset = FLOODS['rapid reset']!
      attacker.send(...Array.from({ length: 2_000 }, (_, at) => reset(at)).flat())
      await attacker.closed
      assert.equal(server.listener.counts.abusive, 1)
      assert.ok(handled <= 300, `${handled} requests were handled`)
      const closed = server.log.entries.filter(({ code }) => code === 'GW_LISTENER_ABUSIVE_CLIENT')
      assert.deepEqual(
        closed.map(({ reason }) => reason),
        ['a flood of stream resets'],
      )
      await waitUntil('no request was active', () => server.listener.stats.active === 0)
    },
  )
}

const broken: Readonly<Record<string, Uint8Array[]>> = {
  'malformed HPACK': [frame(FRAME.headers, 5, 1, Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]))],
  'a window that overflows': Array.from({ length: 3 }, () =>
    frame(FRAME.windowUpdate, 0, 0, Buffer.from([0x7f, 0xff, 0xff, 0xff])),
  ),
  'a frame that is too long': [Buffer.from([0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 1])],
  'DATA on no stream': [frame(FRAME.data, 0, 0, EIGHT)],
  'a stream number of the server': [frame(FRAME.headers, 5, 2, GET)],
}

for (const [name, frames] of Object.entries(broken)) {
  test(`${name} closes that connection only (B90)`, options, async () => {
    await using server = await listening(async () => respond(200), { tls: serverTlsOf(issued) })
    await using victim = new H2Client(server.port)
    assert.equal((await victim.ask('/')).status, 200)
    await using attacker = await FrameClient.open(server.port)
    attacker.send(...frames)
    await attacker.closed
    assert.equal((await victim.ask('/')).status, 200)
  })
}

const malformed: Readonly<Record<string, Record<string, string>>> = {
  'a line break in the path': {
    ':method': 'GET',
    ':scheme': 'https',
    ':authority': 'a',
    ':path': '/ HTTP/1.1\r\nx: y',
  },
  'a name in capitals': { ':method': 'GET', ':scheme': 'https', ':authority': 'a', ':path': '/', 'X-A': 'b' },
  'a connection header': { ':method': 'GET', ':scheme': 'https', ':authority': 'a', ':path': '/', connection: 'close' },
  'Transfer-Encoding': {
    ':method': 'POST',
    ':scheme': 'https',
    ':authority': 'a',
    ':path': '/',
    'transfer-encoding': 'chunked',
  },
  'a pseudo field after others': { ':method': 'GET', ':scheme': 'https', 'x-a': '1', ':authority': 'a', ':path': '/' },
  'an unknown pseudo field': { ':method': 'GET', ':scheme': 'https', ':authority': 'a', ':path': '/', ':x': '1' },
}

for (const [name, fields] of Object.entries(malformed)) {
  test(`${name} never reaches a handler (B9)`, options, async () => {
    let reached = 0
    const count = async () => {
      reached++
      return respond(200)
    }
    await using server = await listening(count, { tls: serverTlsOf(issued) })
    await using client = await FrameClient.open(server.port)
    client.send(frame(FRAME.headers, 5, 1, literal(fields)), frame(FRAME.headers, 5, 3, Buffer.concat([GET, GET])))
    client.send(frame(FRAME.headers, 5, 5, GET))
    await waitUntil('a request was handled or the connection closed', () => reached > 0 || client.socket.destroyed)
    assert.ok(reached <= 1)
  })
}

test('a field with a line break in its value reaches no handler: nghttp2 drops it (B9)', options, async () => {
  const seen = Promise.withResolvers<string>()
  await using server = await listening(
    async ({ request }) => {
      seen.resolve(request.headers.raw().join('|'))
      return respond(200)
    },
    { tls: serverTlsOf(issued) },
  )
  await using client = await FrameClient.open(server.port)
  const fields = {
    ':method': 'GET',
    ':scheme': 'https',
    ':authority': 'a',
    ':path': '/',
    'x-a': 'b\r\nc: d',
    'x-b': '1',
  }
  client.send(frame(FRAME.headers, 5, 1, literal(fields)))
  const raw = await within('the stream was opened', seen.promise)
  assert.match(raw, /x-b\|1/)
  assert.doesNotMatch(raw, /x-a|c: d|[\r\n]/)
})

test(
  'clients that disconnect after the handshake or during a request do not affect other clients (B90)',
  options,
  async () => {
    await using server = await listening(async () => respond(200), {
      tls: serverTlsOf(issued),
      keepAliveTimeout: 60_000,
    })
    await using victim = new H2Client(server.port)
    for (let round = 0; round < 100; round++) {
      await using client = await FrameClient.open(server.port)
      if (round % 2 === 0) client.send(frame(FRAME.headers, 4, 1, GET), frame(FRAME.headers, 5, 3, GET).subarray(0, 12))
      client.socket.destroy()
    }
    assert.equal((await victim.ask('/')).status, 200)
    await waitUntil('the connection of the flood was closed', () => server.listener.stats.connections <= 1)
    assert.deepEqual(server.listener.stats, { connections: 1, active: 0 })
  },
)
