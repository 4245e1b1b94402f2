import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Exchange, type Response, respond } from '#http'
import { converse, listening, RawClient } from '#test/listening'
import { waitUntil } from '#test/waiting'

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n'
const echo = async ({ request }: Exchange) =>
  respond(200, {}, `${request.uri.path}:${Buffer.from(await request.body.read(1e6)).toString('latin1')};`)

const STREAM = [
  '\r\nPOST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello',
  'POST /2 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\nhe\r\n3\r\nllo\r\n0\r\nX-Sum: 1\r\n\r\n',
  'PATCH /3 HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET /4 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
].join('')

const bodiesOf = (text: string) => text.match(/\/\d:\w*;/g)

test('requests are the same in one piece, and byte by byte', async () => {
  await using server = await listening(echo)
  const whole = bodiesOf(await converse(server.port, STREAM))
  assert.deepEqual(whole, ['/1:hello;', '/2:hello;', '/3:;', '/4:;'])
  await using client = new RawClient(server.port)
  client.socket.setNoDelay(true)
  for (const byte of STREAM) {
    client.send(byte)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await client.closed
  assert.deepEqual(bodiesOf(client.text), whole)
})

test('a client that resets or ends at any byte leaves nothing behind', async () => {
  await using server = await listening(async (exchange) => {
    await exchange.request.body.read(1_000).catch(() => {})
    return exchange.request.uri.path === '/3' ? new Promise<Response>(() => {}) : respond(200, {}, 'x'.repeat(100_000))
  })
  for (let at = 0; at < STREAM.length; at += 3) {
    const client = new RawClient(server.port)
    if (at % 2 === 0) client.socket.pause()
    client.send(STREAM.slice(0, at))
    await new Promise<void>((resolve) => client.socket.write('', () => resolve()))
    if (at % 4 < 2) client.socket.resetAndDestroy()
    else client.socket.destroy()
  }
  await waitUntil('all connections are closed', () => server.listener.stats.connections === 0)
  await waitUntil('no request is active', () => server.listener.stats.active === 0)
})

test('a connection that sends nothing gets 408 after headersTimeout, an idle one is closed after keepAliveTimeout', async () => {
  await using server = await listening(async () => respond(200, {}, 'ok'), {
    headersTimeout: 100,
    keepAliveTimeout: 50,
  })
  assert.match(await converse(server.port, ''), /^HTTP\/1\.1 408 /)
  await using client = new RawClient(server.port)
  client.send(`${GET}\r\n`)
  await client.closed
  assert.match(client.text, /^HTTP\/1\.1 200 [\s\S]*Keep-Alive: timeout=0\r\n[\s\S]*ok$/)
})

test('half a head after a response gets 408', async () => {
  await using server = await listening(async () => respond(200, {}, 'ok'), { headersTimeout: 100 })
  assert.match(await converse(server.port, `${GET}\r\n${GET}`), /ok[\s\S]*HTTP\/1\.1 408 /)
})

test('the rest of an unread body has to arrive in the time of a head', async () => {
  await using server = await listening(async () => respond(200, {}, 'early'), { headersTimeout: 100 })
  await using client = new RawClient(server.port)
  client.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc')
  await client.closed
  assert.match(client.text, /early$/)
})

test('a client that reads nothing of complete responses is closed after idleTimeout', async () => {
  const ends: string[] = []
  await using server = await listening(
    async (exchange) => {
      exchange.onAbort(() => ends.push('aborted'))
      return respond(200, {}, Buffer.alloc(8_000_000).toString('latin1'))
    },
    { idleTimeout: 100 },
  )
  await using client = new RawClient(server.port)
  client.socket.pause()
  client.send(`${GET}\r\n`)
  await waitUntil('the request was abandoned', () => ends.length === 1)
  await waitUntil('the connection is closed', () => server.listener.stats.connections === 0)
})

test('an HTTP/1.0 client may keep its connection, and gets no chunks', async () => {
  await using server = await listening(async () => respond(200, {}, 'ok;'))
  const kept = 'GET / HTTP/1.0\r\nHost: a\r\nConnection: Keep-Alive\r\n\r\n'
  const text = await converse(server.port, `${kept}${kept}GET / HTTP/1.0\r\nHost: a\r\n\r\n`)
  assert.equal(text.match(/ok;/g)?.length, 3)
  assert.equal(text.match(/Connection: keep-alive/g)?.length, 2)
})

test('a client that ends its side while its request is served has disconnected', async () => {
  const { promise: aborted, resolve } = Promise.withResolvers<void>()
  await using server = await listening((exchange) => {
    exchange.onAbort(() => resolve())
    return new Promise(() => {})
  })
  await using client = new RawClient(server.port)
  client.send(`${GET}\r\n`)
  client.socket.end()
  await aborted
  await client.closed
})
