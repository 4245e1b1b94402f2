import assert from 'node:assert/strict'
import { constants, type Http2ServerResponse } from 'node:http2'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { Body } from '#http'
import { clientWith, send, textOf } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { frameUpstream } from '#test/frame-upstream'
import { FRAME, frame, literal } from '#test/h2-frames'
import { clearHttp2Upstream } from '#test/http2-upstream'
import { waitUntil, within } from '#test/waiting'

const KNOWN = { overTls: true, inClear: 'prior-knowledge' } as const
/** Last-Stream-ID of a server that will shut down, and tells the real one later (RFC 9113 section 6.8). */
const NOTICE = 2 ** 31 - 1

const goaway = (lastStream: number, code = 0): Buffer => {
  const payload = Buffer.alloc(8)
  payload.writeUInt32BE(lastStream, 0)
  payload.writeUInt32BE(code, 4)
  return frame(FRAME.goaway, 0, 0, payload)
}
const answer = (stream: number, text: string): Buffer =>
  Buffer.concat([
    frame(FRAME.headers, 4, stream, literal({ ':status': '200' })),
    frame(FRAME.data, 1, stream, Buffer.from(text)),
  ])

test('a notice of shutdown: active streams finish, new requests use a new connection while the old one is open', async () => {
  const held: Http2ServerResponse[] = []
  await using upstream = await clearHttp2Upstream((request, response) => {
    if (request.url === '/held') held.push(response)
    else response.end('ok')
  })
  await using client = clientWith({ http2: KNOWN })
  const running = send(client, exchangeFor('GET', `${upstream.url}/held`))
  await waitUntil('a request reached the upstream', () => held.length > 0)
  const [session] = upstream.sessions
  // A Node server ignores new streams from now on, without any frame.
  session!.goaway(constants.NGHTTP2_NO_ERROR, NOTICE)
  await waitUntil('the client opened another connection', async () => {
    const text = await textOf(await send(client, exchangeFor('GET', upstream.url)))
    assert.equal(text, 'ok')
    return upstream.accepted === 2
  })
  for (let i = 0; i < 3; i++) await textOf(await send(client, exchangeFor('POST', upstream.url, { body: 'x' })))
  assert.equal(upstream.accepted, 2)
  held[0]!.end('late')
  assert.equal(await textOf(await running), 'late')
})

/** Requests that a server has received, and does not process, when it shuts down; the first request is answered later. */
const ENDS: Readonly<Record<string, readonly number[]>> = {
  'the last stream that it processed': [1],
  'a notice, then the last stream that it processed': [NOTICE, 1],
  'two notices, then the last stream that it processed': [NOTICE, NOTICE, 1],
}

for (const [what, lastStreams] of Object.entries(ENDS)) {
  for (const method of ['GET', 'POST']) {
    test(`GOAWAY with ${what}: ${method} beyond it is sent again, and the active stream finishes`, async () => {
      let first: Socket | undefined
      const seen: string[] = []
      await using upstream = await frameUpstream((socket, stream) => {
        first ??= socket
        seen.push(`${socket === first ? 'first' : 'second'} ${stream}`)
        if (socket !== first) socket.write(answer(stream, 'again'))
        else if (stream > 1) {
          for (const lastStream of lastStreams) socket.write(goaway(lastStream))
        }
      })
      await using client = clientWith({ http2: KNOWN })
      const running = send(client, exchangeFor('GET', upstream.url))
      await waitUntil('the first request was received', () => seen.length === 1)
      const parts = method === 'POST' ? { body: 'x' } : {}
      const beyond = send(client, exchangeFor(method, upstream.url, parts))
      assert.equal(await textOf(await within('it was answered', beyond)), 'again')
      first!.write(answer(1, 'late'))
      assert.equal(await textOf(await within('the active stream was answered', running)), 'late')
      assert.deepEqual(seen, ['first 1', 'first 3', 'second 1'])
      await waitUntil('the first connection is closed', () => client.stats[0]!.connected === 1)
    })
  }
}

test('a connection that ends after a notice: GET is sent again, POST may have been processed and fails', async () => {
  await using upstream = await frameUpstream((socket, stream, count) => {
    if (stream === 1) socket.write(answer(stream, `${count}`))
    else socket.end(goaway(NOTICE))
  })
  await using client = clientWith({ http2: KNOWN })
  for (const method of ['GET', 'POST']) {
    await textOf(await send(client, exchangeFor('GET', upstream.url)))
    const parts = method === 'POST' ? { body: 'x' } : {}
    const sent = within('the call ended', send(client, exchangeFor(method, upstream.url, parts)))
    if (method === 'GET') assert.equal(await textOf(await sent), '3')
    else await assert.rejects(sent, { code: 'GW_UPSTREAM_CLOSED' })
  }
})

test('a streamed body beyond the last stream is not sent again: it was read', async () => {
  await using upstream = await frameUpstream((socket, stream) => {
    if (stream === 1) socket.write(answer(stream, 'ok'))
    else socket.write(Buffer.concat([goaway(NOTICE), goaway(1)]))
  })
  await using client = clientWith({ http2: KNOWN })
  await textOf(await send(client, exchangeFor('GET', upstream.url)))
  const source = { start: () => {}, resume: () => {}, cancel: () => {} }
  const sent = send(client, exchangeFor('POST', upstream.url, { body: Body.fromSource(source) }))
  await assert.rejects(within('the call ended', sent), { status: 502 })
  await waitUntil('no connection is left', () => client.stats[0]!.connected === 0 && client.stats[0]!.running === 0)
})

test('a server that ends each connection after one request: all requests of a burst are answered', async () => {
  await using upstream = await frameUpstream((socket, stream, count) => {
    if (stream === 1) socket.write(Buffer.concat([goaway(NOTICE), goaway(1), answer(stream, `${count}`)]))
  })
  await using client = clientWith({ http2: KNOWN })
  const texts = Array.from({ length: 8 }, async (_, at) => {
    const parts = at % 2 === 0 ? {} : { body: 'x' }
    return textOf(await send(client, exchangeFor(at % 2 === 0 ? 'GET' : 'POST', upstream.url, parts)))
  })
  assert.equal(new Set(await within('all were answered', Promise.all(texts))).size, 8)
  assert.equal(upstream.accepted, 8)
  await waitUntil('no connection is left', () => client.stats[0]!.connected === 0)
})

test('a server that excludes every request: 502 after 10 further connections', async () => {
  await using upstream = await frameUpstream((socket) => socket.write(goaway(0)))
  await using client = clientWith({ http2: KNOWN })
  await assert.rejects(within('the call ended', send(client, exchangeFor('GET', upstream.url))), { status: 502 })
  assert.equal(upstream.accepted, 11)
  await waitUntil('no connection is left', () => client.stats[0]!.connected === 0 && client.stats[0]!.running === 0)
})
