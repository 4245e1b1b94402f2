import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { type RefusedRequest, respond } from '#http'
import { converse, listening, RawClient } from '#test/listening'
import { waitUntil, within } from '#test/waiting'

const OTHER = 'GET /other HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'

/** A listener that holds requests for /held until released, and answers others with their path. */
async function holding(settings: Parameters<typeof listening>[1] = {}) {
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const served: string[] = []
  const server = await listening(async ({ request }) => {
    const { path } = request.uri
    served.push(path)
    if (path === '/held') await held
    return respond(200, {}, path)
  }, settings)
  return { server, served, release }
}

/** Waits until the server stops reading from a client; resolves with the number of unsent bytes. */
async function untilBlocked({ socket }: RawClient, port: number): Promise<number> {
  for (let same = 0, last = -1; same < 20; last = socket.writableLength) {
    same = socket.writableLength === last ? same + 1 : 0
    // During these round trips the listener would have read further bytes.
    await converse(port, OTHER)
  }
  return socket.writableLength
}

test('a connection with an active request and many pipelined ones is paused', { timeout: 60_000 }, async () => {
  const { server, served, release } = await holding()
  await using _ = server
  await using client = new RawClient(server.port)
  const count = 8_000
  const padding = 'x'.repeat(4_000)
  client.send('GET /held HTTP/1.1\r\nHost: a\r\n\r\n')
  for (let i = 0; i < count; i++) client.send(`GET /${i} HTTP/1.1\r\nHost: a\r\nX: ${padding}\r\n\r\n`)

  assert.ok((await untilBlocked(client, server.port)) > (count * padding.length) / 4)
  release()
  await client.receives(new RegExp(`/${count - 1}$`))
  assert.deepEqual(
    served.filter((path) => path !== '/other'),
    ['/held', ...Array.from({ length: count }, (_, i) => `/${i}`)],
  )
})

const MANY = 'GET /next HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1_900)

test('any number of requests behind a slow one are served, in order', async () => {
  const { server, served, release } = await holding()
  await using _ = server
  await using client = new RawClient(server.port)
  client.send(`GET /held HTTP/1.1\r\nHost: a\r\n\r\n${MANY}${MANY}GET /last HTTP/1.1\r\nHost: a\r\n\r\n`)
  await waitUntil('a request was active', () => server.listener.stats.active > 0)
  assert.deepEqual(served, ['/held'])
  release()
  await client.receives(/\/last$/)
  assert.deepEqual(served, ['/held', ...Array(3_800).fill('/next'), '/last'])
  assert.equal(server.listener.counts.abusive, 0)
})

for (const [count, size] of [
  [20, 10_000],
  [6, 50_000],
  [3, 300_000],
] as const) {
  for (const framing of ['Content-Length', 'chunks'] as const) {
    test(`${count} pipelined requests with bodies of ${size} bytes in ${framing} are all served`, async () => {
      const bodies: string[] = []
      await using server = await listening(async ({ request }) => {
        bodies.push(Buffer.from(await request.body.read(1_000_000)).toString('latin1'))
        return respond(200, {}, `answer ${bodies.length};`)
      })
      await using client = new RawClient(server.port)
      const bodyOf = (at: number) => String.fromCharCode(97 + at).repeat(size)
      for (let at = 0; at < count; at++) {
        const body = bodyOf(at)
        client.send(
          framing === 'chunks'
            ? `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${size.toString(16)}\r\n${body}\r\n0\r\n\r\n`
            : `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${size}\r\n\r\n${body}`,
        )
      }
      await client.receives(new RegExp(`answer ${count};$`))
      assert.equal(client.text.match(/answer/g)?.length, count)
      assert.deepEqual(
        bodies,
        Array.from({ length: count }, (_, at) => bodyOf(at)),
      )
    })
  }
}

test('bodies that no handler reads do not hold up the requests behind them', async () => {
  await using server = await listening(async () => respond(200, {}, 'unread;'))
  await using client = new RawClient(server.port)
  const post = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 50000\r\n\r\n${'x'.repeat(50_000)}`
  client.send(`${post.repeat(20)}GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
  await client.closed
  assert.equal(client.text.match(/unread;/g)?.length, 21)
})

test('responses that are made at once take no stack, however many are pipelined', async () => {
  await using server = await listening(async () => respond(200, {}, 'end'), { reservedPrefix: 'gateway' })
  await using client = new RawClient(server.port)
  const count = 5_000
  client.send('GET /gateway HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(count))
  client.send('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  await client.closed
  assert.equal(client.text.match(/HTTP\/1\.1 404 /g)?.length, count)
  assert.match(client.text, /end$/)
})

test('a client that reads no responses is not served further requests', async () => {
  let served = 0
  await using server = await listening(async ({ request }) => {
    if (request.uri.path === '/large') served++
    return respond(200, {}, 'x'.repeat(10_000))
  })
  await using client = new RawClient(server.port)
  client.socket.pause()
  client.send('GET /large HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(20_000))
  let last = -1
  while (served !== last) {
    last = served
    for (let round = 0; round < 20; round++) await converse(server.port, OTHER)
  }
  assert.ok(served < 10_000, `${served} were served`)
  client.socket.resetAndDestroy()
  await waitUntil('the connection is closed', () => server.listener.stats.connections === 0)
  assert.equal(server.listener.stats.active, 0)
})

test('responses to pipelined requests leave in few writes', async (t) => {
  await using server = await listening(async () => respond(200, {}, 'x'))
  const single = t.mock.method(Socket.prototype, '_write')
  const many = t.mock.method(Socket.prototype, '_writev' as never) as typeof single
  await using client = new RawClient(server.port)
  const count = 400
  client.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(count - 1))
  client.send('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  await client.closed
  const writes = single.mock.callCount() + many.mock.callCount()
  assert.equal(client.text.match(/HTTP\/1\.1 200 /g)?.length, count)
  assert.ok(writes < count / 4, `${writes} writes`)
})

test('50 small requests in one read are all served', async () => {
  const { server, served } = await holding()
  await using _ = server
  await using client = new RawClient(server.port)
  client.send('GET /next HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(50))
  client.send('GET /last HTTP/1.1\r\nHost: a\r\n\r\n')
  await client.receives(/\/last$/)
  assert.equal(served.length, 51)
})

test('a disconnect is detected while few pipelined requests wait', async () => {
  const { promise: aborted, resolve: abort } = Promise.withResolvers<void>()
  await using server = await listening(async (exchange) => {
    exchange.onAbort(() => abort())
    await aborted
    return respond(200)
  })
  const client = new RawClient(server.port)
  client.send('GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n')
  await waitUntil('a request was active', () => server.listener.stats.active > 0)
  client.socket.destroy()
  await within('the exchange was aborted', aborted)
})

test('requests pipelined after an upload wait', async () => {
  const bodies: string[] = []
  await using server = await listening(async ({ request }) => {
    bodies.push(Buffer.from(await request.body.read(10_000_000)).toString('latin1'))
    return respond(200, {}, request.uri.path)
  })
  await using client = new RawClient(server.port)
  const body = 'b'.repeat(1_000_000)
  const post = `POST /post HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  client.send(`${'GET /get HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(20)}${post}${post}GET /end HTTP/1.1\r\nHost: a\r\n\r\n`)
  await client.receives(/\/end$/)
  assert.deepEqual(
    bodies.map(({ length }) => length),
    [...new Array(20).fill(0), body.length, body.length, 0],
  )
})

test('requests pipelined after a refused one are dropped', async () => {
  const { server, served } = await holding()
  await using _ = server
  await using client = new RawClient(server.port)
  client.send(`TRACE / HTTP/1.1\r\nHost: a\r\n\r\n${MANY.repeat(10)}`)
  await client.closed
  assert.match(client.text, /^HTTP\/1\.1 405 /)
  assert.deepEqual(served, [])
})

test('a malformed request behind others is refused in its turn, once, and the connection closes', async () => {
  const refused: RefusedRequest[] = []
  const audit = { begin: () => {}, refused: (request: RefusedRequest) => void refused.push(request) }
  const { server, served, release } = await holding({ audit })
  await using _ = server
  await using client = new RawClient(server.port)
  const next = 'GET /next HTTP/1.1\r\nHost: a\r\n\r\n'
  client.send(`GET /held HTTP/1.1\r\nHost: a\r\n\r\n${next}GET /\x01 HTTP/1.1\r\nHost: a\r\n\r\n${next}`)
  await waitUntil('a request was active', () => server.listener.stats.active > 0)
  release()
  await client.closed
  assert.match(
    client.text,
    /^HTTP\/1\.1 200 OK\r\n[\s\S]*\/heldHTTP\/1\.1 200 OK\r\n[\s\S]*\/nextHTTP\/1\.1 400 [\s\S]*Bad Request$/,
  )
  assert.deepEqual(served, ['/held', '/next'])
  assert.deepEqual(
    refused.map(({ status, reason, isSent }) => ({ status, reason, isSent })),
    [{ status: 400, reason: 'what was sent is no HTTP request', isSent: true }],
  )
})

test('a head that waits in the pipeline does not time out', async () => {
  const { server, release } = await holding({ headersTimeout: 200 })
  await using _ = server
  await using client = new RawClient(server.port)
  await using late = new RawClient(server.port)
  const next = `GET /next HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(300)}\r\n\r\n`
  client.send(`GET /held HTTP/1.1\r\nHost: a\r\n\r\n${next.repeat(60)}GET /last HTTP/1.1\r\nHost: a\r\n\r\n`)
  // It times out later than the head that waits in the parser of the other connection.
  late.send('GET /late')
  await late.closed
  assert.match(late.text, /^HTTP\/1\.1 408 /)
  release()
  await client.receives(/\/last$/)
})
