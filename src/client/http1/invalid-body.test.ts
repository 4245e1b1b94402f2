import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientWith, Reader, send } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { rawUpstream } from '#test/upstream'

const HEAD = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'
const INVALID = { name: 'UpstreamError', code: 'GW_UPSTREAM_PROTOCOL', status: 502 }

for (const [what, body] of [
  ['its first chunk', 'zz\r\nok\r\n0\r\n\r\n'],
  ['a later chunk', '2\r\nok\r\nzz\r\n0\r\n\r\n'],
  ['its trailers', '2\r\nok\r\n0\r\nX : y\r\n\r\n'],
] as const) {
  test(`a response that is invalid in ${what}, in one packet with its head: 502`, async () => {
    await using upstream = await rawUpstream((socket) => socket.write(HEAD + body))
    await using client = clientWith()
    await assert.rejects(send(client, exchangeFor('GET', upstream.url)), INVALID)
  })
}

test('a response that is invalid in a later packet is truncated', async () => {
  let sendRest = () => {}
  await using upstream = await rawUpstream((socket) => {
    socket.write(`${HEAD}2\r\nok\r\n`)
    sendRest = () => socket.write('zz\r\n')
  })
  await using client = clientWith()
  const { status, body } = await send(client, exchangeFor('GET', upstream.url))
  assert.equal(status, 200)
  sendRest()
  await assert.rejects(new Reader(body).done, INVALID)
})
