import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientWith, send, textOf } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { converse } from '#test/listening'
import { startProxy } from '#test/test-proxy'
import { rawUpstream } from '#test/upstream'
import { within } from '#test/waiting'

test('trailers of a response follow its body', async () => {
  await using upstream = await rawUpstream((socket) =>
    socket.write(
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX-Sum: 1\r\nGrpc-Status: 0\r\n\r\n',
    ),
  )
  await using client = clientWith()
  for (const when of ['while it arrives', 'from memory']) {
    const { body } = await send(client, exchangeFor('GET', upstream.url))
    if (when === 'from memory') await body.buffer(exchangeFor('GET', upstream.url).storage)
    const end = new Promise((resolve, reject) => {
      body.pipe({ write: () => true, end: resolve, fail: reject })
    })
    const trailers = await within('the body ended', end)
    assert.deepEqual(trailers, ['X-Sum', '1', 'Grpc-Status', '0'], when)
  }
})

test('TE is forwarded for trailers only', async () => {
  const heads: string[] = []
  await using upstream = await rawUpstream((socket, head) => {
    heads.push(head)
    socket.write('HTTP/1.1 204 No Content\r\n\r\n')
  })
  await using client = clientWith()
  for (const value of ['trailers', 'gzip', 'trailers, gzip']) {
    await send(client, exchangeFor('GET', upstream.url, { headers: { TE: value } }))
  }
  assert.deepEqual(
    heads.map((head) => /^te: .*$/im.exec(head)?.[0] ?? null),
    ['TE: trailers', null, null],
  )
})

const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 17\r\n\r\nHTTP/1.1 100 body'

for (const [name, parts] of Object.entries({
  'in a packet of its own': ['HTTP/1.1 100 Continue\r\n\r\n', ANSWER],
  'together with the response': [`HTTP/1.1 100 Continue\r\n\r\n${ANSWER}`],
  'in pieces, with fields': ['HTT', 'P/1.1 100 Continue\r\nX-A: 1\r', '\n\r', `\n${ANSWER}`],
  'twice, before early hints': [
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n',
    `HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n${ANSWER}`,
  ],
})) {
  test(`unsolicited 100 Continue is dropped: ${name}`, async () => {
    await using upstream = await rawUpstream(async (socket) => {
      for (const part of parts) {
        socket.write(part)
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    })
    await using client = clientWith({ connections: 1 })
    for (let i = 0; i < 2; i++) {
      const response = await send(client, exchangeFor('GET', upstream.url))
      assert.equal(response.status, 200)
      assert.equal(await textOf(response), 'HTTP/1.1 100 body')
    }
    assert.equal(upstream.accepted, 1)
  })
}

test('an endless series of 100 Continue fails the response', async () => {
  await using upstream = await rawUpstream((socket) => {
    socket.write('HTTP/1.1 100 Continue\r\n\r\n'.repeat(40))
  })
  await using client = clientWith()
  await assert.rejects(send(client, exchangeFor('GET', upstream.url)), { status: 502 })
})

for (const field of [
  'Content-Length: 1',
  'Content-Length: 2',
  'content-length: 99',
  'Content-Length: x',
  'Transfer-Encoding: gzip',
  'Connection: close',
  'Upgrade: h2c',
  'Host: evil',
  'Authorization: Basic eDp5',
]) {
  test(`B32: ${field} in the trailers of a response is dropped, and the response is complete`, async () => {
    await using upstream = await rawUpstream((socket) =>
      socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX-Sum: 1\r\n${field}\r\n\r\n`),
    )
    await using gateway = await startProxy(upstream.url)
    const answer = await converse(gateway.port, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/)
    assert.match(answer, /\r\n\r\n2\r\nhi\r\n0\r\n(?:X-Sum: 1\r\n)?\r\n$/)
  })
}

test('a body that ends before its last chunk is truncated, also with a matching Content-Length', async () => {
  await using upstream = await rawUpstream((socket) =>
    socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n5\r\nab'),
  )
  await using client = clientWith()
  const response = await send(client, exchangeFor('GET', upstream.url))
  await assert.rejects(textOf(response), { status: 502 })
})
