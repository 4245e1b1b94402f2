import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import type { Client } from '#client'
import { clientWith, Reader, send, textOf } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { frameUpstream } from '#test/frame-upstream'
import { FRAME, frame, literal } from '#test/h2-frames'
import type { Upstream } from '#test/upstream'
import { waitUntil } from '#test/waiting'

const KNOWN = { overTls: true, inClear: 'prior-knowledge' } as const
const SO_TIMEOUT = 200
const ACK = 1

const head = (stream: number, end: boolean): Buffer =>
  frame(FRAME.headers, end ? 5 : 4, stream, literal({ ':status': '200' }))

/** Sends a request that its client aborts as soon as the server has it, long before soTimeout. */
async function abortedCall(client: Client, { url }: Upstream, received: () => number): Promise<void> {
  const before = received()
  const exchange = exchangeFor('GET', url)
  const sent = send(client, exchange)
  sent.catch(() => {})
  await waitUntil('a request reached the upstream', () => received() > before)
  exchange.abort(new Error('the client has gone'))
  await assert.rejects(sent)
}

test('a connection that became silent is replaced, also where each call is aborted before soTimeout', async () => {
  const connections: Socket[] = []
  let received = 0
  await using upstream = await frameUpstream((socket, stream) => {
    received++
    if (!connections.includes(socket)) connections.push(socket)
    const isSilent = socket === connections[0] && stream > 1
    if (!isSilent) socket.write(head(stream, true))
  })
  await using client = clientWith({ http2: KNOWN, soTimeout: SO_TIMEOUT })
  const silent: string[] = []
  client.onUnresponsive((origin) => silent.push(origin))
  assert.equal(await textOf(await send(client, exchangeFor('GET', upstream.url))), '')
  await waitUntil('another connection was opened', async () => {
    await abortedCall(client, upstream, () => received)
    return connections.length === 2
  })
  assert.equal((await send(client, exchangeFor('GET', upstream.url))).status, 200)
  assert.deepEqual([upstream.accepted, silent], [2, [upstream.url]])
  await waitUntil('the silent connection was closed', () => client.stats[0]?.connected === 1)
})

const ALIVE: Readonly<Record<string, (socket: Socket, payload: Buffer) => void>> = {
  'acknowledges a PING': (socket, payload) => socket.write(frame(FRAME.ping, ACK, 0, payload)),
  'sends data of another stream': (socket) => socket.write(frame(FRAME.data, 0, 1, Buffer.from('x'))),
}

for (const [what, show] of Object.entries(ALIVE)) {
  test(`a connection whose server answers no request, but ${what}, stays in use`, async () => {
    let [received, pings] = [0, 0]
    await using upstream = await frameUpstream(
      (socket, stream) => {
        received++
        // The body of the first response has no end.
        if (stream === 1) socket.write(head(stream, false))
      },
      (socket, payload) => {
        pings++
        show(socket, payload)
      },
    )
    await using client = clientWith({ http2: KNOWN, soTimeout: 60_000 })
    client.onUnresponsive(() => assert.fail('the server is alive'))
    const first = new Reader((await send(client, exchangeFor('GET', upstream.url))).body)
    // The second PING is sent after the check of the first one.
    await waitUntil('two PINGs were received', async () => {
      await abortedCall(client, upstream, () => received)
      return pings === 2
    })
    assert.equal(upstream.accepted, 1)
    first.cancel()
  })
}

test('two PINGs are sent at most without a response; then a connection is replaced after soTimeout', async () => {
  let received = 0
  const pings = new Map<Socket, number>()
  await using upstream = await frameUpstream(
    () => received++,
    (socket, payload) => {
      pings.set(socket, (pings.get(socket) ?? 0) + 1)
      socket.write(frame(FRAME.ping, ACK, 0, payload))
    },
  )
  await using client = clientWith({ http2: KNOWN, soTimeout: SO_TIMEOUT })
  await waitUntil('another connection was opened', async () => {
    await abortedCall(client, upstream, () => received)
    return upstream.accepted === 2
  })
  assert.equal([...pings.values()][0], 2)
})
