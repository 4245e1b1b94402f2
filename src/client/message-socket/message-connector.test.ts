import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { test } from 'node:test'
import type { WebSocket } from 'ws'
import { once, waitUntil } from '#test/waiting'
import { webSocketUpstream } from '#test/websocket'
import { MessageConnector, type MessageConnectorSettings, UpgradeRefusedError } from './message-connector.ts'
import type { MessageEvents } from './open-message-socket.ts'

const SETTINGS: MessageConnectorSettings = {
  connectionTimeout: 5_000,
  maxMessageBytes: 1_000,
  tls: null,
  proxy: null,
}

/** Records the events of a connection, and waits for them. */
class RecordedEvents implements MessageEvents {
  readonly messages: (string | null)[] = []
  frames = 0
  readonly end = Promise.withResolvers<string>()

  message(text: string | null): void {
    this.messages.push(text)
  }

  activity(): void {
    this.frames++
  }

  closed(reason: string): void {
    this.end.resolve(reason)
  }

  async until(holds: () => boolean): Promise<void> {
    await waitUntil('the expected events arrived', holds)
  }
}

const never = new AbortController().signal

function asked(url: string, headers: Record<string, string> = {}) {
  return { url, protocol: 'news', headers }
}

test('messages are sent in both directions, after a handshake with the given header fields and subprotocol', async () => {
  const seen: unknown[] = []
  await using upstream = await webSocketUpstream({
    onConnection: (socket, request) => {
      seen.push(request.url, request.headers['x-token'], socket.protocol)
      socket.on('message', (data) => socket.send(`got ${data}`))
    },
  })
  const heard = new RecordedEvents()
  const connector = new MessageConnector(SETTINGS)
  const socket = await connector.open(asked(`${upstream.url}/am/notifications`, { 'x-token': 'abc' }), heard, never)
  socket.send('hello')
  await heard.until(() => heard.messages.length === 1)
  assert.deepEqual(heard.messages, ['got hello'])
  assert.deepEqual(seen, ['/am/notifications', 'abc', 'news'])
  socket.close()
  assert.equal(await heard.end.promise, 'closed with the code 1000')
  connector.release()
})

test('pings of either side count as activity; a binary message is null', async () => {
  await using upstream = await webSocketUpstream({
    onConnection: (socket) => {
      socket.ping()
      socket.send(Buffer.from([1, 2]))
    },
  })
  const heard = new RecordedEvents()
  const socket = await new MessageConnector(SETTINGS).open(asked(upstream.url), heard, never)
  await heard.until(() => heard.frames === 2)
  assert.deepEqual(heard.messages, [null])
  socket.ping()
  await heard.until(() => heard.frames === 3)
  socket.destroy()
  await heard.end.promise
})

test('a response other than 101 rejects with its status, and a redirect is not followed', async () => {
  let calls = 0
  const server = createServer((_, response) => response.writeHead(401).end('no'))
  server.on('upgrade', (request, socket) => {
    calls++
    const status = request.url === '/moved' ? '302 Found\r\nLocation: /elsewhere' : '401 Unauthorized'
    socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const connector = new MessageConnector(SETTINGS)
  const statusOf = async (path: string) => {
    const error = await connector
      .open(asked(`http://127.0.0.1:${port}${path}`), new RecordedEvents(), never)
      .catch((e) => e)
    assert.ok(error instanceof UpgradeRefusedError)
    return error.status
  }
  assert.equal(await statusOf('/'), 401)
  assert.equal(await statusOf('/moved'), 302)
  assert.equal(calls, 2)
  server.close()
  await once(server, 'close')
})

test('refused connections, unresponsive servers and invalid responses fail within the time-out', async () => {
  const silent = createTcpServer((socket: Socket) => socket.on('error', () => {}).resume())
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const quick = new MessageConnector({ ...SETTINGS, connectionTimeout: 50 })
  await assert.rejects(quick.open(asked(`http://127.0.0.1:${port}`), new RecordedEvents(), never), {
    code: 'GW_UPSTREAM_TIMEOUT',
  })
  silent.once('connection', (socket) => socket.end('nonsense\r\n\r\n'))
  const connector = new MessageConnector(SETTINGS)
  await assert.rejects(connector.open(asked(`http://127.0.0.1:${port}`), new RecordedEvents(), never), {
    name: 'UpstreamError',
  })
  silent.close()
  await once(silent, 'close')
  await assert.rejects(connector.open(asked(`http://127.0.0.1:${port}`), new RecordedEvents(), never), {
    code: 'GW_UPSTREAM_CONNECT',
  })
})

test('an aborted attempt leaves no open connection', async () => {
  const connections = new Set<Socket>()
  const silent = createTcpServer((socket) => {
    connections.add(socket)
    socket.on('close', () => connections.delete(socket)).on('error', () => {})
    socket.resume()
  })
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const abandoned = new AbortController()
  const opening = new MessageConnector(SETTINGS).open(
    asked(`http://127.0.0.1:${port}`),
    new RecordedEvents(),
    abandoned.signal,
  )
  const [socket] = (await once(silent, 'connection')) as [Socket]
  abandoned.abort()
  await assert.rejects(opening, { code: 'GW_CLIENT_GONE' })
  await once(socket, 'close')
  assert.equal(connections.size, 0)
  silent.close()
})

test('B68: a message over the limit closes the connection with 1009, and an invalid header field is rejected', async () => {
  const ends: Promise<unknown[]>[] = []
  await using upstream = await webSocketUpstream({
    onConnection: (socket: WebSocket) => {
      ends.push(once(socket, 'close'))
      socket.send('x'.repeat(2_000))
    },
  })
  const heard = new RecordedEvents()
  const connector = new MessageConnector(SETTINGS)
  await connector.open(asked(upstream.url), heard, never)
  assert.match(await heard.end.promise, /Max payload size exceeded/)
  assert.equal((await ends[0])?.[0], 1009)
  assert.deepEqual(heard.messages, [])
  await assert.rejects(connector.open(asked(upstream.url, { 'x-token': 'a\nb' }), new RecordedEvents(), never), {
    code: 'GW_UPSTREAM_REQUEST',
  })
})
