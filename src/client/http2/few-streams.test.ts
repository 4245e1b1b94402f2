import assert from 'node:assert/strict'
import type { Http2ServerResponse } from 'node:http2'
import { createServer, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { Body } from '#http'
import { clientWith, send, textOf } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { clearHttp2Upstream } from '#test/http2-upstream'
import { once, waitUntil } from '#test/waiting'

const KNOWN = { overTls: true, inClear: 'prior-knowledge' } as const
const LIMIT = 3

/** Requests that can not be sent again: their body is read once. */
const burst = (url: string) =>
  Array.from({ length: 20 }, () =>
    exchangeFor('POST', url, { body: Body.fromStream(Readable.from([Buffer.from('x')])) }),
  )

test('a burst to a server that accepts few streams waits for its SETTINGS: no request is refused', async () => {
  await using upstream = await clearHttp2Upstream(
    (request, response) => request.resume().on('end', () => response.end('ok')),
    { settings: { maxConcurrentStreams: LIMIT } },
  )
  await using client = clientWith({ connections: 2, http2: KNOWN })
  for (let round = 0; round < 2; round++) {
    const sent = burst(upstream.url).map(async (exchange) => textOf(await send(client, exchange)))
    assert.deepEqual(new Set(await Promise.all(sent)), new Set(['ok']))
    // The connections of the next round are new, and their limit is known.
    const closed = [...upstream.sessions].map((session) => once(session, 'close'))
    for (const session of upstream.sessions) session.destroy()
    await Promise.all(closed)
    await waitUntil('the client noticed', () => client.stats[0]?.connected === 0)
  }
})

test('no more streams than the server accepts, on each connection', async () => {
  const held: Http2ServerResponse[] = []
  await using upstream = await clearHttp2Upstream((_request, response) => held.push(response), {
    settings: { maxConcurrentStreams: LIMIT },
  })
  await using client = clientWith({ connections: 2, http2: KNOWN })
  const sent = Array.from({ length: 8 }, () => send(client, exchangeFor('GET', upstream.url)))
  await waitUntil('both connections are full', () => held.length === 2 * LIMIT)
  assert.deepEqual([upstream.accepted, client.stats[0]?.queued], [2, 2])
  const answering = setInterval(() => held.shift()?.end('ok'), 1)
  for (const response of await Promise.all(sent)) assert.equal(await textOf(response), 'ok')
  clearInterval(answering)
})

test('a server that accepts no streams gets one connection, and requests wait until it accepts some', async () => {
  await using upstream = await clearHttp2Upstream((_request, response) => response.end('ok'), {
    settings: { maxConcurrentStreams: 0 },
  })
  await using client = clientWith({ connectionTimeout: 100, http2: KNOWN })
  const codes = async () => {
    const sent = Array.from({ length: 3 }, () => send(client, exchangeFor('GET', upstream.url)))
    return (await Promise.allSettled(sent)).map((each) => each.status === 'rejected' && each.reason.code)
  }
  // The one that is sent before the SETTINGS is refused, and then waits, too.
  assert.deepEqual(new Set(await codes()), new Set(['GW_UPSTREAM_POOL_FULL']))
  assert.equal(upstream.accepted, 1)
  await using later = clientWith({ connectionTimeout: 5_000, http2: KNOWN })
  const waiting = send(later, exchangeFor('GET', upstream.url))
  await waitUntil('the second client is connected', () => upstream.sessions.size === 2)
  for (const session of upstream.sessions) session.settings({ maxConcurrentStreams: LIMIT })
  assert.equal(await textOf(await waiting), 'ok')
})

test('a server without SETTINGS gets one request, and the others wait for the connection time-out', async () => {
  const sockets: Socket[] = []
  const server = createServer((socket) => sockets.push(socket.resume().on('error', () => {})))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  try {
    await using client = clientWith({ connectionTimeout: 100, soTimeout: 200, http2: KNOWN })
    const sent = Array.from({ length: 3 }, () => send(client, exchangeFor('GET', `http://127.0.0.1:${port}/`)))
    const codes = (await Promise.allSettled(sent)).map((each) => each.status === 'rejected' && each.reason.code)
    assert.deepEqual(codes, ['GW_UPSTREAM_TIMEOUT', 'GW_UPSTREAM_POOL_FULL', 'GW_UPSTREAM_POOL_FULL'])
    assert.equal(sockets.length, 1)
  } finally {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
})
