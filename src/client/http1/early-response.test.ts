import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Body, type BodySink } from '#http'
import { clientWith, send, textOf } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { rawUpstream } from '#test/upstream'
import { waitUntil, within } from '#test/waiting'

const PIECE = Buffer.alloc(16_384)

/** Sends `text` and closes the connection; more of the body is written before the client reads anything, which fails. */
async function earlyResponse(text: string): Promise<{ readonly status: number; readonly body: string }> {
  let sink: BodySink | null = null
  let isCancelled = false
  await using upstream = await rawUpstream((socket) => {
    if (text !== '') socket.write(text)
    socket.destroy()
    for (let i = 0; i < 10; i++) sink!.write(PIECE)
  })
  await using client = clientWith()
  const body = Body.fromSource({
    start: (target) => {
      sink = target
      target.write(PIECE)
    },
    resume: () => {},
    cancel: () => {
      isCancelled = true
    },
  })
  try {
    const response = await within('the call ended', send(client, exchangeFor('POST', upstream.url, { body })))
    return { status: response.status, body: await within('the body ended', textOf(response)) }
  } finally {
    assert.ok(isCancelled)
    await waitUntil('the connection was closed', () => client.stats[0]?.connected === 0)
  }
}

for (const [what, framing, content] of [
  ['Content-Length', 'Content-Length: 3', 'no!'],
  ['chunked coding', 'Transfer-Encoding: chunked', '3\r\nno!\r\n0\r\n\r\n'],
]) {
  test(`a complete response by ${what}, and a connection that is reset before the end of the request`, async () => {
    const response = await earlyResponse(`HTTP/1.1 413 Too Large\r\nConnection: close\r\n${framing}\r\n\r\n${content}`)
    assert.deepEqual(response, { status: 413, body: 'no!' })
  })
}

for (const [what, text] of [
  ['no response', ''],
  ['a part of a head', 'HTTP/1.1 413 Too'],
  ['a part of a body', 'HTTP/1.1 413 Too Large\r\nContent-Length: 4\r\n\r\nno!'],
  ['a body that ends with the connection', 'HTTP/1.1 413 Too Large\r\n\r\nno!'],
]) {
  test(`B27: ${what}, and a connection that is reset before the end of the request, is truncated`, async () => {
    await assert.rejects(earlyResponse(text!), { code: 'GW_UPSTREAM_CLOSED' })
  })
}
