import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WebSocket as WsClient } from 'ws'
import { type Exchange, endUpgraded, type Handler, respond, type UpgradedConnection, watchUpgrade } from '#http'
import { converse, RawClient } from '#test/listening'
import { once, waitUntil, within } from '#test/waiting'
import { echoMessages, webSocketUpstream } from '#test/websocket'
import { acceptingUpstream } from '#test/websocket-frames'
import { closeOf, HANDSHAKE, message, opened, refusal, startProxy } from '#test/websocket-proxy'

test('relays text and binary messages in both directions, and the close code of the client', async () => {
  const closed = Promise.withResolvers<[number, string]>()
  await using upstream = await webSocketUpstream({
    onConnection: (socket) => {
      echoMessages(socket)
      socket.on('close', (code, reason) => closed.resolve([code, reason.toString()]))
    },
  })
  await using proxy = await startProxy(upstream.url)
  const socket = await opened(`${proxy.ws}/chat?room=1`)
  socket.send('grüße')
  assert.equal(await message(socket), 'grüße')
  socket.send(new Uint8Array([0, 1, 255]))
  assert.deepEqual(new Uint8Array((await message(socket)) as ArrayBuffer), new Uint8Array([0, 1, 255]))
  const close = closeOf(socket)
  socket.close(4001, 'enough')
  assert.deepEqual(await within('the connection was closed', closed.promise), [4001, 'enough'])
  assert.deepEqual(await close, [4001, 'enough'])
})

test('relays the close code of the server', async () => {
  await using upstream = await webSocketUpstream({ onConnection: (socket) => socket.close(4900, 'full') })
  await using proxy = await startProxy(upstream.url)
  assert.deepEqual(await closeOf(await opened(proxy.ws)), [4900, 'full'])
})

test('a connection that is reset at one end is reset at the other', async () => {
  const closed = Promise.withResolvers<number>()
  await using upstream = await webSocketUpstream({
    onConnection: (socket) => {
      socket.on('message', () => socket.terminate())
      socket.on('close', (code) => closed.resolve(code))
    },
  })
  await using proxy = await startProxy(upstream.url)
  const socket = await opened(proxy.ws)
  const code = closeOf(socket)
  socket.send('break')
  assert.equal((await code)[0], 1006)
  await within('the connection was closed', closed.promise)

  const client = new WsClient(proxy.ws)
  await once(client, 'open')
  const [server] = upstream.server.clients
  client.terminate()
  const [seen] = (await once(server!, 'close')) as [number]
  assert.equal(seen, 1006)
})

test('relays pings and pongs in both directions with their payload', async () => {
  const pinged = Promise.withResolvers<string>()
  await using upstream = await webSocketUpstream({
    onConnection: (socket) => {
      socket.on('pong', (data) => pinged.resolve(data.toString()))
      socket.ping('from the server')
    },
  })
  await using proxy = await startProxy(upstream.url)
  const client = new WsClient(proxy.ws)
  await once(client, 'open')
  assert.equal(await within('the ping arrived', pinged.promise), 'from the server')
  client.ping('from the client')
  const [data] = (await once(client, 'pong')) as [Buffer]
  assert.equal(data.toString(), 'from the client')
  client.terminate()
})

test('a message of 64 MB is streamed', { timeout: 60_000 }, async () => {
  const received = Promise.withResolvers<number>()
  await using upstream = await webSocketUpstream({
    perMessageDeflate: false,
    onConnection: (socket) => socket.on('message', (data: Buffer) => received.resolve(data.length)),
  })
  await using proxy = await startProxy(upstream.url)
  const client = new WsClient(proxy.ws, { perMessageDeflate: false })
  await once(client, 'open')
  client.send(Buffer.alloc(64 * 1_048_576))
  assert.equal(await within('the data arrived', received.promise), 64 * 1_048_576)
  client.terminate()
})

test('a slow reader pauses the sender, and buffers stay bounded', { timeout: 60_000 }, async () => {
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
  await using proxy = await startProxy(upstream.url)
  const before = process.memoryUsage().arrayBuffers
  const client = new WsClient(proxy.ws, { perMessageDeflate: false })
  let received = 0
  client.on('message', () => received++)
  await once(client, 'open')
  client.pause()
  await within('the sender was paused', stalled.promise)
  // Bytes in flight: buffers of the system, of this process, and the queue of the sender.
  assert.ok(sent < 64, `${sent} MB were taken from the sender`)
  assert.ok(process.memoryUsage().arrayBuffers - before < 64 * 1_048_576)
  client.resume()
  await waitUntil('256 messages were received', () => received >= 256)
  client.terminate()
})

test('soTimeout of websocket: an idle connection is destroyed at both ends', async () => {
  await using upstream = await webSocketUpstream()
  await using proxy = await startProxy(upstream.url, { websocket: { soTimeout: '500 ms' } })
  const clients = Array.from({ length: 50 }, () => new WsClient(proxy.ws, { autoPong: false }))
  const closes = clients.map((client) => once(client, 'close'))
  await Promise.all(clients.map((client) => once(client, 'open')))
  await Promise.all(closes)
  await waitUntil(
    'the WebSocket connections were closed and no request was active',
    () => upstream.server.clients.size === 0 && proxy.listener.stats.active === 0,
  )
  assert.equal(proxy.listener.stats.connections, 0)
})

test('without it, idle connections are pinged: those that respond stay open, others are destroyed', async () => {
  let pings = 0
  await using upstream = await webSocketUpstream({
    onConnection: (socket) => {
      echoMessages(socket)
      socket.on('ping', () => pings++)
    },
  })
  await using proxy = await startProxy(upstream.url, { soTimeout: '50 ms' })
  const deaf = new WsClient(proxy.ws, { autoPong: false })
  const alive = new WsClient(proxy.ws)
  await Promise.all([once(deaf, 'open'), once(alive, 'open')])
  let pinged = 0
  alive.on('ping', () => pinged++)
  const [code] = (await once(deaf, 'close')) as [number]
  assert.equal(code, 1006)
  await waitUntil('both ends got three pings', () => pinged >= 3 && pings >= 3)
  alive.send('still here')
  const [data] = (await once(alive, 'message')) as [Buffer]
  assert.equal(data.toString(), 'still here')
  alive.terminate()
})

test('F20: draining closes both ends with 1001', async () => {
  const closed = Promise.withResolvers<number>()
  await using upstream = await webSocketUpstream({
    onConnection: (socket) => socket.on('close', (code) => closed.resolve(code)),
  })
  await using proxy = await startProxy(upstream.url)
  const socket = await opened(proxy.ws)
  const code = closeOf(socket)
  const drained = proxy.listener.drain(5_000)
  assert.equal((await code)[0], 1001)
  assert.equal(await within('the connection was closed', closed.promise), 1001)
  assert.deepEqual(await drained, { aborted: 0 })
})

/** A filter that records open connections. */
const recordingIn = (open: Set<UpgradedConnection>) => (handler: Handler) => async (exchange: Exchange) => {
  const response = await handler(exchange)
  watchUpgrade(response, (connection) => {
    open.add(connection)
    return () => open.delete(connection)
  })
  return response
}

test('a filter can close an open connection with any code, for example when a token is revoked', async () => {
  const atServer = Promise.withResolvers<number>()
  await using upstream = await webSocketUpstream({
    onConnection: (socket) => {
      echoMessages(socket)
      socket.on('close', (code) => atServer.resolve(code))
    },
  })
  const open = new Set<UpgradedConnection>()
  await using proxy = await startProxy(upstream.url, {}, {}, recordingIn(open))
  const revoked = await opened(proxy.ws)
  assert.equal(open.size, 1)
  const code = closeOf(revoked)
  for (const connection of open) endUpgraded(connection, 1008, 'the token is no longer valid')
  assert.deepEqual(await code, [1008, 'the token is no longer valid'])
  assert.equal(await within('the server got the close frame', atServer.promise), 1008)
  await waitUntil('all connections were closed', () => open.size === 0)
})

test('a connection closed by a filter is destroyed although its ends neither finish a frame nor respond', async () => {
  const received = Promise.withResolvers<void>()
  await using upstream = await acceptingUpstream((socket) => socket.on('data', () => received.resolve()).resume())
  const open = new Set<UpgradedConnection>()
  await using proxy = await startProxy(upstream.url, {}, {}, recordingIn(open))
  await using client = new RawClient(proxy.port)
  client.send(`GET / HTTP/1.1\r\n${HANDSHAKE}\r\n`)
  await client.receives(/\r\n\r\n/)
  client.socket.write(Buffer.from([0x82, 0xfe, 0xff, 0xff, 0, 0, 0, 0, 1]))
  await within('the data arrived', received.promise)
  for (const connection of open) endUpgraded(connection, 1008, 'the token is no longer valid')
  await client.closed
  await waitUntil(
    'all connections were closed and no request was active',
    () => open.size === 0 && proxy.listener.stats.active === 0,
  )
})

test('an accepted upgrade that a filter discards leaves no connection open', async () => {
  await using upstream = await webSocketUpstream()
  await using proxy = await startProxy(upstream.url, {}, {}, (handler) => async (exchange) => {
    assert.equal((await handler(exchange)).status, 101)
    return respond(403)
  })
  assert.equal(await refusal(proxy.ws), 403)
  await waitUntil('the WebSocket connections of the upstream were closed', () => upstream.server.clients.size === 0)
})

for (const [what, frame, code] of [
  ['an invalid opcode', Buffer.from([0x83, 0x80, 0, 0, 0, 0]), 1002],
  ['a frame that is not masked', Buffer.from([0x81, 1, 65]), 1002],
  ['a length of 64 bits', Buffer.from([0x82, 0xff, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]), 1009],
] as const) {
  test(`B68: ${what} is relayed to the application, and its close code is relayed back`, async () => {
    await using upstream = await webSocketUpstream({ onConnection: (socket) => socket.on('error', () => {}) })
    await using proxy = await startProxy(upstream.url)
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

test('B68: compressed messages are inflated by the endpoints only, and rejected with 1009', async () => {
  await using upstream = await webSocketUpstream({
    perMessageDeflate: true,
    maxPayload: 65_536,
    onConnection: (socket) => socket.on('error', () => {}),
  })
  await using proxy = await startProxy(upstream.url)
  const client = new WsClient(proxy.ws, { perMessageDeflate: { threshold: 0 } })
  await once(client, 'open')
  const before = process.memoryUsage().arrayBuffers
  client.send(Buffer.alloc(32 * 1_048_576))
  assert.equal((await once(client, 'close'))[0], 1009)
  assert.ok(process.memoryUsage().arrayBuffers - before < 48 * 1_048_576)
  ;(await opened(proxy.ws)).close()
})

test('B68: invalid window bits are relayed to the endpoint', async () => {
  await using upstream = await webSocketUpstream({ perMessageDeflate: true })
  await using proxy = await startProxy(upstream.url)
  const offer = 'Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits=1000000\r\n'
  assert.match(await converse(proxy.port, `GET / HTTP/1.1\r\n${HANDSHAKE}${offer}\r\n`), /^HTTP\/1\.1 400 /)

  await using hostile = await acceptingUpstream(
    (socket) => socket.resume(),
    'Sec-WebSocket-Extensions: permessage-deflate; server_max_window_bits=1000000\r\n',
  )
  await using other = await startProxy(hostile.url)
  await using client = new RawClient(other.port)
  client.send(`GET / HTTP/1.1\r\n${HANDSHAKE}Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n`)
  await client.receives(/101 [\s\S]*server_max_window_bits=1000000\r\n[\s\S]*\r\n\r\n/)
  client.socket.end()
  ;(await opened(proxy.ws)).close()
})
