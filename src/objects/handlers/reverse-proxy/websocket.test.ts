import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { WebSocket as WsClient } from 'ws'
import { type Exchange, endUpgraded, type Handler, respond, type UpgradedConnection, Uri, watchUpgrade } from '#http'
import type { JsonObject } from '#json'
import { build, type Surroundings } from '#test/build'
import { converse, type Listening, listening, RawClient } from '#test/listening'
import { httpUpstream, rawUpstream } from '#test/upstream'
import { giveBack, webSocketUpstream } from '#test/websocket'
import { ReverseProxyHandler } from './reverse-proxy-handler.ts'

const options = { timeout: 30_000 }

/** A listener in front of an application, with a ReverseProxyHandler between them. */
async function proxying(
  url: string,
  config: { readonly websocket?: object; readonly [field: string]: unknown } = {},
  surroundings: Surroundings = {},
  around: (handler: Handler) => Handler = (handler) => handler,
): Promise<Listening & { readonly ws: string; readonly exchanges: Exchange[] }> {
  const websocket = { enabled: true, ...config.websocket }
  const built = await build<Handler>(ReverseProxyHandler, { ...config, websocket } as JsonObject, surroundings)
  const exchanges: Exchange[] = []
  const handler = around((exchange) => {
    exchange.request.uri.rebase(Uri.parse(url))
    exchanges.push(exchange)
    return built.object(exchange)
  })
  const server = await listening(handler)
  return {
    ...server,
    ws: `ws://127.0.0.1:${server.port}`,
    exchanges,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await built[Symbol.asyncDispose]()
    },
  }
}

async function opened(url: string, protocols: string | string[] = []): Promise<WebSocket> {
  const socket = new WebSocket(url, protocols)
  socket.binaryType = 'arraybuffer'
  await new Promise<void>((resolve, reject) => {
    socket.onopen = () => resolve()
    socket.onerror = () => reject(new Error('the connection was refused'))
  })
  return socket
}

async function message(socket: WebSocket): Promise<unknown> {
  const [event] = (await once(socket, 'message')) as [MessageEvent]
  return event.data
}

async function closeOf(socket: WebSocket): Promise<[number, string]> {
  const [event] = (await once(socket, 'close')) as [CloseEvent]
  return [event.code, event.reason]
}

/** The status of an upgrade that was refused. */
async function refusal(url: string, protocols: string[] = [], extra: object = {}): Promise<number> {
  const client = new WsClient(url, protocols, extra)
  client.on('error', () => {})
  const [, response] = (await once(client, 'unexpected-response')) as [unknown, { statusCode: number }]
  client.terminate()
  return response.statusCode
}

const HANDSHAKE =
  'Host: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'
const ACCEPT = 's3pPLMBiTxaQ9kYGzzhZRbK+xOo='

test('text and binary messages pass both ways, and the close code of the client', options, async () => {
  const closed = Promise.withResolvers<[number, string]>()
  await using upstream = await webSocketUpstream({
    onConnection: (socket) => {
      giveBack(socket)
      socket.on('close', (code, reason) => closed.resolve([code, reason.toString()]))
    },
  })
  await using proxy = await proxying(upstream.url)
  const socket = await opened(`${proxy.ws}/chat?room=1`)
  socket.send('grüße')
  assert.equal(await message(socket), 'grüße')
  socket.send(new Uint8Array([0, 1, 255]))
  assert.deepEqual(new Uint8Array((await message(socket)) as ArrayBuffer), new Uint8Array([0, 1, 255]))
  const close = closeOf(socket)
  socket.close(4001, 'enough')
  assert.deepEqual(await closed.promise, [4001, 'enough'])
  assert.deepEqual(await close, [4001, 'enough'])
})

test('the close code of the server passes', options, async () => {
  await using upstream = await webSocketUpstream({ onConnection: (socket) => socket.close(4900, 'full') })
  await using proxy = await proxying(upstream.url)
  assert.deepEqual(await closeOf(await opened(proxy.ws)), [4900, 'full'])
})

test('a connection that breaks at one end breaks at the other', options, async () => {
  const closed = Promise.withResolvers<number>()
  await using upstream = await webSocketUpstream({
    onConnection: (socket) => {
      socket.on('message', () => socket.terminate())
      socket.on('close', (code) => closed.resolve(code))
    },
  })
  await using proxy = await proxying(upstream.url)
  const socket = await opened(proxy.ws)
  const code = closeOf(socket)
  socket.send('break')
  assert.equal((await code)[0], 1006)
  await closed.promise

  const client = new WsClient(proxy.ws)
  await once(client, 'open')
  const [server] = upstream.server.clients
  client.terminate()
  const [seen] = (await once(server!, 'close')) as [number]
  assert.equal(seen, 1006)
})

test('pings and pongs pass both ways with what they carry', options, async () => {
  const pinged = Promise.withResolvers<string>()
  await using upstream = await webSocketUpstream({
    onConnection: (socket) => {
      socket.on('pong', (data) => pinged.resolve(data.toString()))
      socket.ping('from the server')
    },
  })
  await using proxy = await proxying(upstream.url)
  const client = new WsClient(proxy.ws)
  await once(client, 'open')
  assert.equal(await pinged.promise, 'from the server')
  client.ping('from the client')
  const [data] = (await once(client, 'pong')) as [Buffer]
  assert.equal(data.toString(), 'from the client')
  client.terminate()
})

test(
  'what the upstream is asked for: the handshake, the fields of the client, nothing of its connection',
  options,
  async () => {
    const heads: string[] = []
    await using upstream = await rawUpstream((socket, head) => {
      heads.push(head)
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: WebSocket\r\nConnection: Upgrade, X-Hop\r\nX-Hop: 1\r\nX-App: 2\r\nSec-WebSocket-Accept: ${ACCEPT}\r\n\r\n`,
      )
    })
    await using proxy = await proxying(upstream.url)
    await using client = new RawClient(proxy.port)
    client.send(`GET /a?b=c HTTP/1.1\r\n${HANDSHAKE}Keep-Alive: 5\r\nOrigin: http://a\r\nX-One: 1\r\nTE: gzip\r\n\r\n`)
    await client.receives(/\r\n\r\n/)
    const [head = ''] = heads
    assert.match(head, /^GET \/a\?b=c HTTP\/1\.1\r\n/)
    for (const field of [
      'Host: a',
      'Origin: http://a',
      'X-One: 1',
      'Sec-WebSocket-Version: 13',
      'Connection: Upgrade',
      'Upgrade: websocket',
    ]) {
      assert.equal(head.split('\r\n').filter((line) => line === field).length, 1, field)
    }
    assert.doesNotMatch(head, /Keep-Alive|^TE:|Content-Length|Transfer-Encoding/im)
    assert.match(
      client.text,
      new RegExp(
        `X-App: 2\r\nSec-WebSocket-Accept: ${RegExp.escape(ACCEPT)}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n`,
      ),
    )
    assert.doesNotMatch(client.text, /X-Hop/)
  },
)

test('a message of 64 MB streams through', { timeout: 60_000 }, async () => {
  const received = Promise.withResolvers<number>()
  await using upstream = await webSocketUpstream({
    perMessageDeflate: false,
    onConnection: (socket) => socket.on('message', (data: Buffer) => received.resolve(data.length)),
  })
  await using proxy = await proxying(upstream.url)
  const client = new WsClient(proxy.ws, { perMessageDeflate: false })
  await once(client, 'open')
  client.send(Buffer.alloc(64 * 1_048_576))
  assert.equal(await received.promise, 64 * 1_048_576)
  client.terminate()
})

test('a slow reader holds the sender back, and nothing piles up between them', { timeout: 60_000 }, async () => {
  let sent = 0
  const stalled = Promise.withResolvers<void>()
  await using upstream = await webSocketUpstream({
    perMessageDeflate: false,
    onConnection: (socket) => {
      const chunk = Buffer.alloc(1_048_576)
      const more = () => {
        if (sent >= 256) return
        if (socket.bufferedAmount > 4_194_304) {
          stalled.resolve()
          setTimeout(more, 5)
          return
        }
        sent++
        socket.send(chunk)
        setImmediate(more)
      }
      more()
    },
  })
  await using proxy = await proxying(upstream.url)
  const before = process.memoryUsage().arrayBuffers
  const client = new WsClient(proxy.ws, { perMessageDeflate: false })
  let received = 0
  client.on('message', () => received++)
  await once(client, 'open')
  client.pause()
  await stalled.promise
  // What is under way: buffers of the system, of this process, and what the sender was let to queue.
  assert.ok(sent < 64, `${sent} MB were taken from the sender`)
  assert.ok(process.memoryUsage().arrayBuffers - before < 64 * 1_048_576)
  client.resume()
  while (received < 256) await once(client, 'message')
  client.terminate()
})

test(
  'B66: filters run before the upgrade; what they refuse is plain HTTP and never reaches the application',
  options,
  async () => {
    let asked = 0
    await using upstream = await webSocketUpstream({ onConnection: () => asked++ })
    await using proxy = await proxying(upstream.url, {}, {}, (handler) => async (exchange) => {
      const token = exchange.request.headers.get('authorization')
      return token === 'Bearer good' ? handler(exchange) : respond(token === null ? 401 : 403)
    })
    assert.equal(await refusal(proxy.ws), 401)
    assert.equal(await refusal(proxy.ws, [], { headers: { authorization: 'Bearer bad' } }), 403)
    assert.equal(asked, 0)
    const client = new WsClient(proxy.ws, { headers: { authorization: 'Bearer good' } })
    await once(client, 'open')
    client.terminate()
  },
)

test('B67: an application that stays with HTTP is relayed, body and all', options, async () => {
  await using upstream = await httpUpstream((_request, response) => {
    response.writeHead(426, { 'X-App': '1', Upgrade: 'other' })
    response.end('not here')
  })
  await using proxy = await proxying(upstream.url)
  const answer = await converse(proxy.port, `GET / HTTP/1.1\r\n${HANDSHAKE}\r\n`)
  assert.match(answer, /^HTTP\/1\.1 426 Upgrade Required\r\n[\s\S]*X-App: 1[\s\S]*not here/)
  assert.doesNotMatch(answer, /^Upgrade:/im)
})

for (const [what, head] of [
  ['a wrong Sec-WebSocket-Accept', `Upgrade: websocket\r\nSec-WebSocket-Accept: ${ACCEPT.replace('s', 't')}`],
  ['no Sec-WebSocket-Accept', 'Upgrade: websocket'],
  ['two of them', `Upgrade: websocket\r\nSec-WebSocket-Accept: ${ACCEPT}\r\nSec-WebSocket-Accept: ${ACCEPT}`],
  ['another protocol', `Upgrade: h2c\r\nSec-WebSocket-Accept: ${ACCEPT}`],
  ['no protocol', `Sec-WebSocket-Accept: ${ACCEPT}`],
  [
    'a subprotocol nobody asked for',
    `Upgrade: websocket\r\nSec-WebSocket-Accept: ${ACCEPT}\r\nSec-WebSocket-Protocol: a`,
  ],
  [
    'an extension nobody asked for',
    `Upgrade: websocket\r\nSec-WebSocket-Accept: ${ACCEPT}\r\nSec-WebSocket-Extensions: x`,
  ],
] as const) {
  test(`B67: a 101 with ${what} opens no tunnel`, options, async () => {
    await using upstream = await rawUpstream((socket) =>
      socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n${head}\r\n\r\nsecret`),
    )
    await using proxy = await proxying(upstream.url)
    const answer = await converse(proxy.port, `GET / HTTP/1.1\r\n${HANDSHAKE}\r\n`)
    assert.match(answer, /^HTTP\/1\.1 502 /)
    assert.doesNotMatch(answer, /secret/)
    while (upstream.sockets.size > 0) await new Promise(setImmediate)
  })
}

for (const [what, fields] of [
  ['no key', 'Sec-WebSocket-Version: 13\r\n'],
  ['a bad key', 'Sec-WebSocket-Key: abc\r\n'],
  ['two keys', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'],
  ['a broken subprotocol', `Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: a b\r\n`],
  ['a subprotocol twice', `Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: a, a\r\n`],
  [
    'B68: spaces without end',
    `Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: a${' '.repeat(9_000)}b\r\n`,
  ],
] as const) {
  test(`a handshake with ${what} is refused with 400`, options, async () => {
    await using upstream = await webSocketUpstream()
    await using proxy = await proxying(upstream.url)
    const head = `GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${fields}\r\n`
    assert.match(await converse(proxy.port, head), /^HTTP\/1\.1 400 /)
  })
}

test(
  'B70: the subprotocol the application chooses is relayed once; those that are not listed are not offered',
  options,
  async () => {
    const offered: string[][] = []
    await using upstream = await webSocketUpstream({
      handleProtocols: (protocols) => {
        offered.push([...protocols])
        return [...protocols].at(-1) ?? false
      },
    })
    await using free = await proxying(upstream.url)
    assert.equal((await opened(free.ws, ['one', 'two'])).protocol, 'two')
    await using limited = await proxying(upstream.url, {}, { webSocketSubProtocols: ['one', 'three'] })
    const socket = await opened(limited.ws, ['one', 'two'])
    assert.equal(socket.protocol, 'one')
    assert.deepEqual(offered, [['one', 'two'], ['one']])
    assert.equal(await refusal(limited.ws, ['two']), 400)
    assert.equal((await opened(limited.ws)).protocol, '')
  },
)

test('compression is agreed between the ends, unless it is withheld', options, async () => {
  await using upstream = await webSocketUpstream({ perMessageDeflate: { threshold: 0 } })
  await using proxy = await proxying(upstream.url)
  const client = new WsClient(proxy.ws, { perMessageDeflate: { threshold: 0 } })
  await once(client, 'open')
  assert.match(client.extensions, /permessage-deflate/)
  client.send('a'.repeat(100_000))
  const [data] = (await once(client, 'message')) as [Buffer]
  assert.equal(data.length, 100_000)
  client.terminate()
  const vertx = { tryUsePerMessageWebSocketCompression: false }
  await using without = await proxying(upstream.url, { websocket: { vertx } })
  const plain = new WsClient(without.ws)
  await once(plain, 'open')
  assert.equal(plain.extensions, '')
  plain.terminate()
})

test('not enabled: the request is relayed as a plain one', options, async () => {
  const heads: string[] = []
  await using upstream = await rawUpstream((socket, head) => {
    heads.push(head)
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
  })
  await using proxy = await proxying(upstream.url, { websocket: { enabled: false } })
  assert.match(await converse(proxy.port, `GET / HTTP/1.1\r\n${HANDSHAKE}\r\n`), /^HTTP\/1\.1 200 OK[\s\S]*ok$/)
  assert.doesNotMatch(heads[0]!, /^(Upgrade|Connection: Upgrade)/im)
})

test('soTimeout of websocket: a connection without a byte for so long is destroyed at both ends', options, async () => {
  await using upstream = await webSocketUpstream()
  await using proxy = await proxying(upstream.url, { websocket: { soTimeout: '100 ms' } })
  const clients = Array.from({ length: 50 }, () => new WsClient(proxy.ws, { autoPong: false }))
  const closes = clients.map((client) => once(client, 'close'))
  await Promise.all(clients.map((client) => once(client, 'open')))
  await Promise.all(closes)
  while (upstream.server.clients.size > 0 || proxy.listener.stats.active > 0) await new Promise(setImmediate)
  assert.equal(proxy.listener.stats.connections, 0)
})

test('without it, quiet ends are pinged: those that answer stay, others are destroyed', options, async () => {
  let pings = 0
  await using upstream = await webSocketUpstream({
    onConnection: (socket) => {
      giveBack(socket)
      socket.on('ping', () => pings++)
    },
  })
  await using proxy = await proxying(upstream.url, { soTimeout: '50 ms' })
  const deaf = new WsClient(proxy.ws, { autoPong: false })
  const alive = new WsClient(proxy.ws)
  await Promise.all([once(deaf, 'open'), once(alive, 'open')])
  let pinged = 0
  alive.on('ping', () => pinged++)
  const [code] = (await once(deaf, 'close')) as [number]
  assert.equal(code, 1006)
  while (pinged < 3 || pings < 3) await new Promise((resolve) => setTimeout(resolve, 5))
  alive.send('still here')
  const [data] = (await once(alive, 'message')) as [Buffer]
  assert.equal(data.toString(), 'still here')
  alive.terminate()
})

test('F20: draining says 1001 to both ends', options, async () => {
  const closed = Promise.withResolvers<number>()
  await using upstream = await webSocketUpstream({
    onConnection: (socket) => socket.on('close', (code) => closed.resolve(code)),
  })
  await using proxy = await proxying(upstream.url)
  const socket = await opened(proxy.ws)
  const code = closeOf(socket)
  const drained = proxy.listener.drain(5_000)
  assert.equal((await code)[0], 1001)
  assert.equal(await closed.promise, 1001)
  assert.deepEqual(await drained, { aborted: 0 })
})

test('a filter ends an open connection, as when a token is revoked, with the code it likes', options, async () => {
  const atServer = Promise.withResolvers<number>()
  await using upstream = await webSocketUpstream({
    onConnection: (socket) => {
      giveBack(socket)
      socket.on('close', (code) => atServer.resolve(code))
    },
  })
  const open = new Set<UpgradedConnection>()
  await using proxy = await proxying(upstream.url, {}, {}, (handler) => async (exchange) => {
    const response = await handler(exchange)
    watchUpgrade(response, (connection) => {
      open.add(connection)
      return () => open.delete(connection)
    })
    return response
  })
  const revoked = await opened(proxy.ws)
  assert.equal(open.size, 1)
  const code = closeOf(revoked)
  for (const connection of open) endUpgraded(connection, 1008, 'the token is no longer valid')
  assert.deepEqual(await code, [1008, 'the token is no longer valid'])
  assert.equal(await atServer.promise, 1008)
  while (open.size > 0) await new Promise(setImmediate)

  // One that neither ends its frame nor answers can not stay by that.
  await using stubborn = new RawClient(proxy.port)
  stubborn.send(`GET / HTTP/1.1\r\n${HANDSHAKE}\r\n`)
  await stubborn.receives(/\r\n\r\n/)
  stubborn.socket.write(Buffer.from([0x82, 0xfe, 0xff, 0xff, 0, 0, 0, 0, 1]))
  for (const connection of open) endUpgraded(connection, 1008, 'the token is no longer valid')
  await stubborn.closed
  while (open.size > 0 || proxy.listener.stats.active > 0) await new Promise(setImmediate)
})

test('an application that can not be reached, or does not answer the handshake, is 502 and 504', options, async () => {
  await using silent = await rawUpstream(() => {})
  await using proxy = await proxying(silent.url, { soTimeout: '100 ms' })
  assert.equal(await refusal(proxy.ws), 504)
  while (silent.sockets.size > 0) await new Promise(setImmediate)
  await using gone = await proxying('http://127.0.0.1:1')
  assert.equal(await refusal(gone.ws), 502)
})

test('a client that leaves during the handshake ends it', options, async () => {
  const asked = Promise.withResolvers<void>()
  await using upstream = await rawUpstream(() => asked.resolve())
  await using proxy = await proxying(upstream.url)
  const client = new WsClient(proxy.ws)
  client.on('error', () => {})
  await asked.promise
  client.terminate()
  while (upstream.sockets.size > 0 || proxy.listener.stats.active > 0) await new Promise(setImmediate)
})

test('an accepted upgrade that a filter throws away leaves no connection behind', options, async () => {
  await using upstream = await webSocketUpstream()
  await using proxy = await proxying(upstream.url, {}, {}, (handler) => async (exchange) => {
    assert.equal((await handler(exchange)).status, 101)
    return respond(403)
  })
  assert.equal(await refusal(proxy.ws), 403)
  while (upstream.server.clients.size > 0) await new Promise(setImmediate)
})

test('a forward proxy is asked for a tunnel, in clear too', options, async () => {
  const asked: string[] = []
  const proxy = createServer().on('connect', (request, client) => {
    asked.push(request.url ?? '')
    const [host, port] = (request.url ?? '').split(':')
    const server = connect(Number(port), host, () => client.write('HTTP/1.1 200 OK\r\n\r\n'))
    server.pipe(client).pipe(server)
    for (const end of [server, client]) end.on('error', () => {})
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  await using upstream = await webSocketUpstream()
  const uri = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  await using gateway = await proxying(upstream.url, { proxy: { uri } })
  const socket = await opened(gateway.ws)
  socket.send('through')
  assert.equal(await message(socket), 'through')
  assert.deepEqual(asked, [new URL(upstream.url).host])
  socket.close()
  proxy.close()
})

test('the URI may have the scheme ws', options, async () => {
  await using upstream = await webSocketUpstream()
  await using proxy = await proxying(upstream.url.replace('http:', 'ws:'))
  const socket = await opened(proxy.ws)
  socket.send('a')
  assert.equal(await message(socket), 'a')
  socket.close()
})

for (const [what, frame, code] of [
  ['an opcode that is none', Buffer.from([0x83, 0x80, 0, 0, 0, 0]), 1002],
  ['a frame that is not masked', Buffer.from([0x81, 1, 65]), 1002],
  ['a length of 64 bits', Buffer.from([0x82, 0xff, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]), 1009],
] as const) {
  test(`B68: ${what} is judged by the application, and its close code comes back`, options, async () => {
    await using upstream = await webSocketUpstream({ onConnection: (socket) => socket.on('error', () => {}) })
    await using proxy = await proxying(upstream.url)
    await using client = new RawClient(proxy.port)
    client.send(`GET / HTTP/1.1\r\n${HANDSHAKE}\r\n`)
    await client.receives(/\r\n\r\n/)
    client.socket.write(frame)
    const [, high = '', low = ''] = await client.receives(/\r\n\r\n\x88[\s\S]([\s\S])([\s\S])/)
    assert.equal(high.charCodeAt(0) * 256 + low.charCodeAt(0), code)
    client.socket.end()
    await client.closed
    const next = await opened(proxy.ws)
    next.close()
  })
}
