import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Response } from '#http'
import { clientWith, Reader, send, textOf } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { frameUpstream } from '#test/frame-upstream'
import { FRAME, frame, literal } from '#test/h2-frames'
import { within } from '#test/waiting'

const KNOWN = { overTls: true, inClear: 'prior-knowledge' } as const
const END_STREAM = 1
const END_HEADERS = 4
const RESET_WITH_NO_ERROR = Buffer.alloc(4)

const head = (stream: number, fields: Record<string, string> = {}) =>
  frame(FRAME.headers, END_HEADERS, stream, literal({ ':status': '200', ...fields }))
const data = (stream: number, text: string, flags = 0) => frame(FRAME.data, flags, stream, Buffer.from(text))
const reset = (stream: number) => frame(FRAME.reset, 0, stream, RESET_WITH_NO_ERROR)

test('a stream reset with NO_ERROR before the response head: 502', async () => {
  await using upstream = await frameUpstream((socket, stream) => socket.write(reset(stream)))
  await using client = clientWith({ http2: KNOWN })
  for (const method of ['GET', 'POST']) {
    const answer = send(client, exchangeFor(method, upstream.url, method === 'POST' ? { body: 'x' } : {}))
    await assert.rejects(within('the call failed', answer), { code: 'GW_UPSTREAM_CLOSED' }, method)
  }
  assert.equal(client.stats[0]?.running, 0)
})

const TRUNCATED: Readonly<Record<string, (stream: number) => Uint8Array[]>> = {
  'after the head': (stream) => [head(stream), reset(stream)],
  'within the body': (stream) => [head(stream), data(stream, 'part'), reset(stream)],
  'after all bytes of Content-Length': (stream) => [
    head(stream, { 'content-length': '4' }),
    data(stream, 'part'),
    reset(stream),
  ],
}

for (const [where, frames] of Object.entries(TRUNCATED)) {
  test(`B27: a stream reset with NO_ERROR ${where}, without END_STREAM, truncates the response`, async () => {
    await using upstream = await frameUpstream((socket, stream) => socket.write(Buffer.concat(frames(stream))))
    await using client = clientWith({ http2: KNOWN })
    const { body } = await send(client, exchangeFor('GET', upstream.url))
    await assert.rejects(within('the body failed', new Reader(body).done), { code: 'GW_UPSTREAM_CLOSED' })
    assert.equal(upstream.accepted, 1)
  })
}

test('a stream reset with NO_ERROR after END_STREAM has a complete response, also while the request is being sent', async () => {
  await using upstream = await frameUpstream((socket, stream) =>
    socket.write(Buffer.concat([head(stream), data(stream, 'full', END_STREAM), reset(stream)])),
  )
  await using client = clientWith({ http2: KNOWN })
  const answers: Promise<Response>[] = [
    send(client, exchangeFor('GET', upstream.url)),
    // Larger than the first window, so that its end is not sent.
    send(client, exchangeFor('POST', upstream.url, { body: Buffer.alloc(200_000) })),
  ]
  for (const answer of answers) assert.equal(await textOf(await within('the response', answer)), 'full')
})
