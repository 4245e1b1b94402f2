import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
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

/** Number of request objects that node:http creates during `run`. */
async function taken(run: () => Promise<void>): Promise<number> {
  let count = 0
  const add = () => count++
  subscribe('http.server.request.start', add)
  try {
    await run()
  } finally {
    unsubscribe('http.server.request.start', add)
  }
  return count
}

const MANY = 'GET /next HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1_900)

test('requests beyond 100 in one read are dropped; the active request gets its response', async () => {
  const { server, served, release } = await holding()
  await using _ = server
  await using client = new RawClient(server.port)
  const count = await taken(async () => {
    client.send(`GET /held HTTP/1.1\r\nHost: a\r\n\r\n${MANY}`)
    await waitUntil('a request was active', () => server.listener.stats.active > 0)
    release()
    await client.closed
  })
  assert.match(client.text, /^HTTP\/1\.1 200 [\s\S]*\r\n\r\n\/held/)
  assert.ok(count <= 101, `${count} requests were taken`)
  assert.deepEqual(served, ['/held'])
})

test('more than 100 pipelined requests after a slow one close the connection', async () => {
  const { server } = await holding()
  await using _ = server
  await using client = new RawClient(server.port)
  client.send(`GET /held HTTP/1.1\r\nHost: a\r\n\r\n${MANY}`)
  await client.closed
  await waitUntil('no request was active', () => server.listener.stats.active === 0)
  assert.equal(server.log.entries.filter(({ reason }) => reason === 'too many pipelined requests').length, 1)
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
  await using server = await listening(async () => respond(200))
  await using client = new RawClient(server.port)
  const count = await taken(async () => {
    client.send(`TRACE / HTTP/1.1\r\nHost: a\r\n\r\n${MANY.repeat(10)}`)
    await client.closed
  })
  assert.ok(count <= 101, `${count} requests were taken`)
})

test('a malformed request behind one in flight is recorded once, and the connection closes after the response', async () => {
  const refused: RefusedRequest[] = []
  const audit = { begin: () => {}, refused: (request: RefusedRequest) => void refused.push(request) }
  const { server, served, release } = await holding({ audit })
  await using _ = server
  for (const [at, waiting] of ['', 'GET /waits HTTP/1.1\r\nHost: a\r\n\r\n'].entries()) {
    await using client = new RawClient(server.port)
    client.send(`GET /held HTTP/1.1\r\nHost: a\r\n\r\n${waiting}GET /\x01 HTTP/1.1\r\nHost: a\r\n\r\nmore`)
    await waitUntil('the refusal is recorded', () => refused.length === at + 1)
    release()
    await client.closed
    assert.match(client.text, /^HTTP\/1\.1 200 OK\r\n[\s\S]*\/held$/)
  }
  assert.deepEqual(served, ['/held', '/held'])
  assert.deepEqual(
    refused.map(({ status, reason, isSent }) => ({ status, reason, isSent })),
    Array(2).fill({ status: 400, reason: 'what was sent is no HTTP request', isSent: false }),
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
