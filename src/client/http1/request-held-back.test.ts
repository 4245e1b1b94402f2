import assert from 'node:assert/strict'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { setImmediate as pollEnds } from 'node:timers/promises'
import { Body } from '#http'
import { once } from '#test/waiting'
import type { Call, OutboundRequest } from '../dispatcher.ts'
import { Connection } from './connection.ts'

const REQUEST: OutboundRequest = {
  method: 'POST',
  target: '/',
  host: 'a.example',
  fields: [],
  acceptsTrailers: false,
  bytes: Buffer.from('once'),
  stream: null,
  length: 4,
  isLast: false,
}

/** A body whose source is not read before the request is written. */
const streamed = (): Body =>
  Body.fromSource({ start: (sink) => void sink.write(Buffer.from('once')), resume: () => {}, cancel: () => {} }, 4)

const REQUESTS: Record<string, () => OutboundRequest> = {
  'a request': () => REQUEST,
  'a request with a streamed body': () => ({ ...REQUEST, bytes: null, stream: streamed() }),
}
const RESPONSE = 'HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison'

/** The events of one call, by name. */
function recordedCall(): { call: Call; events: string[] } {
  const events: string[] = []
  const call: Call = {
    queue: null,
    wait: () => {},
    begin: () => void events.push('begin'),
    received: () => void events.push('received'),
    interim: () => void events.push('interim'),
    head: (status) => void events.push(`head ${status}`),
    data: (chunk) => void events.push(`data ${chunk}`),
    end: () => void events.push('end'),
    parsed: () => {},
    failed: (error) => void events.push(`failed ${'code' in error ? error.code : error.message}`),
    uploadBlocked: () => {},
    uploadFlows: () => {},
    uploadEnded: () => {},
    trailersToSend: () => [],
  }
  return { call, events }
}

/** A connection to a server that counts the bytes it receives. */
async function opened() {
  let received = 0
  const server = createServer((socket) => {
    socket.on('data', (bytes) => {
      received += bytes.length
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  await once(socket, 'connect')
  const ended: string[] = []
  const owner = { released: () => void ended.push('released'), closed: () => void ended.push('closed') }
  return {
    socket,
    ended,
    connection: new Connection(socket, owner, 65_536, Number.POSITIVE_INFINITY),
    get received() {
      return received
    },
    [Symbol.dispose]: () => {
      socket.destroy()
      server.close()
    },
  }
}

const ENDS: Record<string, (socket: Socket) => void> = {
  'bytes arrive': (socket) => void socket.emit('data', Buffer.from(RESPONSE)),
  'the server closes the connection': (socket) => void socket.emit('end'),
  'the connection is reset': (socket) =>
    void socket.emit('error', Object.assign(new Error('reset'), { code: 'ECONNRESET' })),
}

for (const [what, happen] of Object.entries(ENDS)) {
  for (const [which, request] of Object.entries(REQUESTS)) {
    test(`B25: where ${what} before ${which} is written, it is not answered, and may be sent again`, async () => {
      using connection = await opened()
      const { call, events } = recordedCall()
      const sent = request()
      connection.connection.send(sent, call)
      happen(connection.socket)
      assert.deepEqual(events, ['begin', 'failed GW_UNPROCESSED'])
      assert.deepEqual(connection.ended, ['closed'])
      await pollEnds()
      assert.equal(connection.received, 0)
      assert.equal(sent.stream?.isAvailable ?? true, true)
    })
  }
}

for (const [which, request] of Object.entries(REQUESTS)) {
  test(`a client that goes away while ${which} is held back ends it with its own reason`, async () => {
    using connection = await opened()
    const { call, events } = recordedCall()
    connection.connection.send(request(), call)
    connection.connection.abort(new Error('client gone'))
    await pollEnds()
    assert.deepEqual(events, ['begin', 'failed client gone'])
    assert.equal(connection.received, 0)
  })
}
