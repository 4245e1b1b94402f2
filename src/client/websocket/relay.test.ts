import assert from 'node:assert/strict'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { once, waitUntil } from '#test/waiting'
import { Watchdog } from '../watchdog.ts'
import { Relay, type RelayTimeouts } from './relay.ts'

const NOTHING = Buffer.alloc(0)
const PATIENT: RelayTimeouts = { idleTime: null, heartbeatTime: 10_000 }

/** Two ends of one connection; the first one buffers up to the high-water mark before it exerts back-pressure. */
async function pair(highWaterMark?: number): Promise<[Socket, Socket]> {
  const server = createServer({ allowHalfOpen: true, highWaterMark }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const far = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true })
  const [near] = (await once(server, 'connection')) as [Socket]
  server.close()
  for (const socket of [near, far]) socket.on('error', () => {})
  return [near, far]
}

/** A relay between a client and a server of which the test holds the far ends. */
async function relayed(
  timeouts: RelayTimeouts = PATIENT,
  early: [Buffer, Buffer] = [NOTHING, NOTHING],
  highWaterMark?: number,
) {
  const [nearClient, client] = await pair(highWaterMark)
  const [nearServer, server] = await pair()
  const relay = new Relay(
    { socket: nearClient, early: early[0] },
    { socket: nearServer, early: early[1] },
    timeouts,
    new Watchdog(timeouts.idleTime ?? timeouts.heartbeatTime),
  )
  const closed = Promise.all([once(nearClient, 'close'), once(nearServer, 'close')])
  return {
    relay,
    nearClient,
    nearServer,
    client: new Far(client),
    server: new Far(server),
    /** Resolves when both sockets of the relay are closed. */
    closed: async () => {
      await closed
      client.destroy()
      server.destroy()
    },
  }
}

/** The bytes that a far end has received. */
class Far {
  bytes = Buffer.alloc(0)
  readonly socket: Socket

  constructor(socket: Socket) {
    this.socket = socket
    socket.on('data', (chunk: Buffer) => {
      this.bytes = Buffer.concat([this.bytes, chunk])
    })
  }

  async ended(): Promise<void> {
    await waitUntil('the end was received', () => this.socket.readableEnded)
  }

  async has(count: number): Promise<Buffer> {
    await waitUntil(`${count} bytes were received`, () => this.bytes.length >= count)
    return this.bytes
  }
}

test('relays in both directions, early bytes first', async () => {
  const { relay, client, server, closed } = await relayed(PATIENT, [
    Buffer.from([0x82, 1, 65]),
    Buffer.from([0x82, 1, 66]),
  ])
  client.socket.write(Buffer.from([0x82, 1, 67]))
  assert.deepEqual([...(await server.has(6))], [0x82, 1, 65, 0x82, 1, 67])
  assert.deepEqual([...(await client.has(3))], [0x82, 1, 66])
  relay.destroy()
  await closed()
})

test('a close frame of the gateway is sent after the current frame, and nothing after it', async () => {
  const { relay, client, server, closed } = await relayed()
  server.socket.write(Buffer.from([0x82, 4, 1, 2]))
  await client.has(4)
  relay.close(1001, '')
  assert.deepEqual([...(await server.has(8))].slice(0, 2), [0x88, 0x82])
  server.socket.write(Buffer.from([3, 4, 0x81, 1, 65]))
  server.socket.write(Buffer.from([0x88, 2, 0x03, 0xe9]))
  assert.deepEqual([...(await client.has(10))], [0x82, 4, 1, 2, 3, 4, 0x88, 2, 0x03, 0xe9])
  await server.ended()
  client.socket.write(Buffer.from([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe9]))
  await client.ended()
  assert.equal(client.bytes.length, 10)
  client.socket.end()
  server.socket.end()
  await closed()
  assert.equal(server.bytes.length, 8)
})

test('a direction that ends leaves the other open', async () => {
  const { client, server, closed } = await relayed()
  client.socket.end(Buffer.from([0x82, 1, 65]))
  await server.ended()
  assert.deepEqual([...server.bytes], [0x82, 1, 65])
  server.socket.end(Buffer.from([0x82, 1, 66]))
  await client.ended()
  assert.deepEqual([...client.bytes], [0x82, 1, 66])
  await closed()
})

test('B69: a half-closed connection without activity is destroyed after the time-out', async () => {
  for (const timeouts of [
    { idleTime: 40, heartbeatTime: 10_000 },
    { idleTime: null, heartbeatTime: 40 },
  ]) {
    const { client, closed } = await relayed(timeouts)
    client.socket.end()
    await closed()
  }
})

for (const [what, timeouts] of [
  ['heartbeats', { idleTime: null, heartbeatTime: 40 }],
  ['a time-out', { idleTime: 80, heartbeatTime: 10_000 }],
] as const) {
  test(`a client that keeps its connection after Close frames of both peers is disconnected, with ${what}`, async () => {
    const { client, server, closed } = await relayed(timeouts)
    client.socket.write(Buffer.from([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe8]))
    await server.has(8)
    server.socket.end(Buffer.from([0x88, 2, 0x03, 0xe8]))
    await client.ended()
    await closed()
    assert.deepEqual([...client.bytes], [0x88, 2, 0x03, 0xe8])
  })

  test(`a client that does not read the last bytes of a server is disconnected, with ${what}`, async () => {
    // Bytes that wait without back-pressure, so that the server can close; as with a few bytes that no longer fit into the system's buffer.
    const { client, server, nearClient, nearServer, closed } = await relayed(timeouts, [NOTHING, NOTHING], 2 ** 30)
    client.socket.pause()
    client.socket.end()
    server.socket.end(Buffer.alloc(2 ** 24))
    await once(nearServer, 'close')
    assert.ok(nearClient.writableLength > 0)
    await closed()
  })
}

test('a peer that stops reading in the middle of a frame is disconnected after the time-out', async () => {
  for (const side of ['client', 'server'] as const) {
    const { client, server, closed } = await relayed({ idleTime: null, heartbeatTime: 100 })
    const [from, to] = side === 'client' ? [server, client] : [client, server]
    to.socket.pause()
    from.socket.write(Buffer.from([0x82, 127, 0, 0, 1, 0, 0, 0, 0, 0]))
    from.socket.write(Buffer.alloc(32 * 1_048_576))
    await closed()
  }
})

test('peers of which neither reads are disconnected after the time-out', async () => {
  const { client, server, closed } = await relayed({ idleTime: null, heartbeatTime: 100 })
  for (const { socket } of [client, server]) {
    socket.pause()
    socket.write(Buffer.from([0x82, 127, 0, 0, 1, 0, 0, 0, 0, 0]))
    socket.write(Buffer.alloc(32 * 1_048_576))
  }
  await closed()
})

test('the end of a relay: a Close frame, or the side that cut it without one', async () => {
  const closeFrames: [string, number[]][] = [
    ['client', [0x88, 0x80, 0, 0, 0, 0]],
    ['server', [0x88, 0]],
  ]
  for (const [side, frame] of closeFrames) {
    const { relay, client, server, closed } = await relayed()
    const [from, to] = side === 'client' ? [client, server] : [server, client]
    from.socket.write(Buffer.from(frame))
    await to.has(frame.length)
    assert.equal(relay.end, 'sent')
    for (const { socket } of [from, to]) socket.destroy()
    await closed()
    assert.equal(relay.end, 'sent')
  }
  for (const [side, end] of [
    ['client', 'aborted'],
    ['server', 'truncated'],
  ] as const) {
    const { relay, client, server, closed } = await relayed()
    const [cut, other] = side === 'client' ? [client, server] : [server, client]
    cut.socket.end()
    await other.ended()
    assert.equal(relay.end, end)
    // A Close frame after the cut, of the gateway that stops, does not make it an orderly end.
    relay.close(1001, 'stop')
    assert.equal(relay.end, end)
    other.socket.end()
    await closed()
    assert.equal(relay.end, end)
  }
  const { relay, closed } = await relayed({ idleTime: 40, heartbeatTime: 10_000 })
  await closed()
  assert.equal(relay.end, 'truncated')
})

test('idle peers are pinged, the server with a masked frame', async () => {
  const { relay, client, server, closed } = await relayed({ idleTime: null, heartbeatTime: 60 })
  assert.deepEqual([...(await client.has(2))].slice(0, 2), [0x89, 0])
  assert.deepEqual([...(await server.has(6))].slice(0, 2), [0x89, 0x80])
  relay.destroy()
  await closed()
})

test('no ping is inserted into an incomplete frame', async () => {
  const { relay, client, server, closed } = await relayed({ idleTime: null, heartbeatTime: 60 })
  // The client is idle, and would be pinged if the frame to it ended.
  server.socket.write(Buffer.from([0x82, 126, 0x03, 0xe8]))
  let sent = 0
  const talking = setInterval(() => server.socket.write(Buffer.alloc(1, ++sent)), 5)
  await waitUntil('60 bytes were sent', () => sent >= 60)
  clearInterval(talking)
  assert.deepEqual(
    [...client.bytes.subarray(4)],
    Array.from({ length: client.bytes.length - 4 }, (_, at) => at + 1),
  )
  relay.destroy()
  await closed()
})
