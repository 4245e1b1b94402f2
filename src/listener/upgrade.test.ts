import assert from 'node:assert/strict'
import type { Duplex } from 'node:stream'
import { test } from 'node:test'
import { type Exchange, Response, respond, type Upgrade } from '#http'
import { converse, listening, RawClient } from '#test/listening'
import { once, waitUntil, within } from '#test/waiting'

const ASKING = 'GET /chat HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\n'

/** An upgrade that echoes its input in capitals, and records its calls. */
class Capitals implements Upgrade {
  readonly closes: number[] = []
  client: Duplex | null = null
  destroyed = false

  start(client: Duplex, head: Buffer) {
    this.client = client
    client.write(head.toString('latin1').toUpperCase())
    client.on('data', (chunk: Buffer) => client.write(chunk.toString('latin1').toUpperCase()))
    client.on('end', () => client.end())
    return {
      close: (code: number) => {
        this.closes.push(code)
        client.end(`bye ${code}`)
      },
      destroy: () => {
        this.destroyed = true
        client.destroy()
      },
      end: 'sent' as const,
    }
  }
}

function switching(upgrade: Upgrade, headers: Record<string, string> = {}): Response {
  return new Response(101, { headers, upgrade })
}

test('a response of status 101 with an upgrade hands the connection over', async () => {
  const upgrade = new Capitals()
  const seen: Exchange[] = []
  await using server = await listening(async (exchange) => {
    seen.push(exchange)
    return switching(upgrade, { 'X-Kept': '1', 'Content-Length': '7', 'Keep-Alive': 'x' })
  })
  await using client = new RawClient(server.port)
  client.send(`${ASKING}\r\nearly `)
  await client.receives(/EARLY /)
  client.send('late')
  await client.receives(/LATE/)

  assert.match(
    client.text,
    /^HTTP\/1\.1 101 Switching Protocols\r\nX-Kept: 1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n/,
  )
  assert.doesNotMatch(client.text, /Content-Length|Keep-Alive|chunked/i)
  assert.equal(seen[0]!.request.headers.get('upgrade'), 'websocket')
  assert.equal(seen[0]!.request.headers.has('connection'), false)
})

test('the exchange lasts as long as the upgraded connection', async () => {
  let completed = 0
  await using server = await listening(async (exchange) => {
    exchange.onComplete(() => completed++)
    return switching(new Capitals())
  })
  const client = new RawClient(server.port)
  client.send(`${ASKING}\r\n`)
  await client.receives(/101/)
  assert.deepEqual([completed, server.listener.stats.active], [0, 1])
  client.socket.end()
  await client.closed
  await waitUntil('the listener had no connection', () => server.listener.stats.connections === 0)
  assert.deepEqual([completed, server.listener.stats.active], [1, 0])
})

test('B66: any other response is plain HTTP, without a tunnel', async () => {
  await using server = await listening(async () => respond(403, {}, 'no'))
  const answer = await converse(server.port, `${ASKING}\r\nGET /next HTTP/1.1\r\nHost: a\r\n\r\n`)
  assert.match(answer, /^HTTP\/1\.1 403 Forbidden\r\n[\s\S]*Connection: close\r\n[\s\S]*\r\nno$/)
  assert.equal(server.listener.stats.active, 0)
})

test('B67: a 101 without an upgrade: 502', async () => {
  await using server = await listening(async () => new Response(101))
  assert.match(await converse(server.port, `${ASKING}\r\n`), /^HTTP\/1\.1 502 /)
})

test('a 101 with a header that can not be sent: 502', async () => {
  const upgrade = new Capitals()
  const response = switching(upgrade)
  response.reason = 'two\r\nlines'
  await using server = await listening(async () => response)
  const answer = await converse(server.port, `${ASKING}\r\n`)
  assert.match(answer, /^HTTP\/1\.1 502 /)
  assert.equal(upgrade.client, null)
})

for (const [what, sent] of [
  ['h2c (B35)', 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close, upgrade\r\nUpgrade: h2c\r\n\r\n'],
  ['several protocols', 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close, upgrade\r\nUpgrade: h2c, websocket\r\n\r\n'],
  ['no Connection: upgrade', 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nUpgrade: websocket\r\n\r\n'],
  ['HTTP/1.0', 'GET / HTTP/1.0\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n'],
  [
    'POST',
    'POST / HTTP/1.1\r\nHost: a\r\nConnection: close, upgrade\r\nUpgrade: websocket\r\nContent-Length: 0\r\n\r\n',
  ],
  [
    'a body',
    'GET / HTTP/1.1\r\nHost: a\r\nConnection: close, upgrade\r\nUpgrade: websocket\r\nContent-Length: 3\r\n\r\nabc',
  ],
  [
    'a chunked body',
    'GET / HTTP/1.1\r\nHost: a\r\nConnection: close, upgrade\r\nUpgrade: websocket\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
  ],
] as const) {
  test(`an upgrade request with ${what} is an ordinary request; a 101 for it is not sent`, async () => {
    const upgrade = new Capitals()
    const seen: Exchange[] = []
    await using server = await listening(async (exchange) => {
      seen.push(exchange)
      return switching(upgrade)
    })
    assert.match(await converse(server.port, sent), /^HTTP\/1\.1 502 /)
    assert.equal(upgrade.client, null)
    assert.equal(seen[0]!.request.headers.has('upgrade'), false)
  })
}

test('an upgrade pipelined after other requests waits for their responses', async () => {
  const first = Promise.withResolvers<void>()
  await using server = await listening(async ({ request }) => {
    if (request.uri.path === '/chat') return switching(new Capitals())
    await first.promise
    return respond(200, {}, 'first')
  })
  await using client = new RawClient(server.port)
  client.send(`GET / HTTP/1.1\r\nHost: a\r\n\r\n${ASKING}\r\nabc`)
  await once(client.socket, 'ready')
  first.resolve()
  await client.receives(/200 OK[\s\S]*firstHTTP\/1\.1 101 [\s\S]*ABC/)
})

test('a client that disconnects before the response aborts the exchange', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  await using server = await listening(async (exchange) => {
    exchange.onAbort(() => resolve())
    await promise
    return switching(new Capitals())
  })
  const client = new RawClient(server.port)
  client.send(`${ASKING}\r\n`)
  client.socket.end()
  await within('the exchange was aborted', promise)
  await client.closed
})

test('F20: draining closes upgraded connections with 1001, and destroys those that stay open', async () => {
  const upgrade = new Capitals()
  await using server = await listening(async () => switching(upgrade))
  await using client = new RawClient(server.port)
  client.send(`${ASKING}\r\n`)
  await client.receives(/101/)
  const drained = server.listener.drain(5_000)
  await client.receives(/bye 1001$/)
  client.socket.end()
  assert.deepEqual(await drained, { aborted: 0 })

  const deaf: Upgrade = { start: (socket) => ({ close: () => {}, destroy: () => void socket.destroy(), end: 'sent' }) }
  await using other = await listening(async () => switching(deaf))
  await using stays = new RawClient(other.port)
  stays.send(`${ASKING}\r\n`)
  await stays.receives(/101/)
  assert.deepEqual(await other.listener.drain(20), { aborted: 1 })
  await stays.closed
})

test('an exchange that is aborted, as by a retired route, closes its upgraded connection', async () => {
  const upgrade = new Capitals()
  let exchange: Exchange | null = null
  await using server = await listening(async (each) => {
    exchange = each
    return switching(upgrade)
  })
  await using client = new RawClient(server.port)
  client.send(`${ASKING}\r\n`)
  await client.receives(/101/)
  ;(exchange as Exchange | null)?.abort(new Error('retired'))
  await client.receives(/bye 1001/)
})

for (const [what, head, status] of [
  ['no Host', ASKING.replace('Host: a\r\n', ''), 400],
  ['a reserved path', ASKING.replace('/chat', '/gateway/chat'), 404],
  ['B68: 1,500 fields', ASKING + 'x:1\r\n'.repeat(1_500), 431],
] as const) {
  test(`an upgrade request with ${what} is refused like any other`, async () => {
    const upgrade = new Capitals()
    await using server = await listening(async () => switching(upgrade), { reservedPrefix: 'gateway' })
    assert.match(await converse(server.port, `${head}\r\n`), new RegExp(`^HTTP/1\\.1 ${status} `))
    assert.equal(upgrade.client, null)
  })
}

test('timeouts of HTTP do not apply to an upgraded connection', async () => {
  const short = { requestTimeout: 60, headersTimeout: 60, keepAliveTimeout: 30, idleTimeout: 30 }
  await using server = await listening(async () => switching(new Capitals()), short)
  await using client = new RawClient(server.port)
  client.send(`${ASKING}\r\n`)
  await client.receives(/101/)
  await new Promise((resolve) => setTimeout(resolve, 300))
  client.send('late')
  await client.receives(/LATE/)
})
