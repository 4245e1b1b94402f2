import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import type { ProxyOptions } from '#contracts'
import { Body } from '#http'
import { clientWith, send, textOf } from '#test/client'
import { exchangeFor, temporaryStorage } from '#test/exchange'
import { converse } from '#test/listening'
import { startProxy } from '#test/test-proxy'
import { httpUpstream, rawUpstream, silentUpstream } from '#test/upstream'
import { waitUntil } from '#test/waiting'

/** A body of chunks with trailers. */
function withTrailers(chunks: readonly string[], trailers: readonly string[], length: number | null = null): Body {
  return Body.fromSource(
    {
      start: (sink) => {
        for (const chunk of chunks) sink.write(Buffer.from(chunk))
        sink.end(trailers)
      },
      resume: () => {},
      cancel: () => {},
    },
    length,
  )
}

/** Responds to each request after its last bytes, and records all bytes. */
async function recording(lastBytes: string) {
  const received: string[] = []
  const upstream = await silentUpstream((socket: Socket) => {
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      if (!text.endsWith(lastBytes)) return
      received.push(text)
      text = ''
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
    })
  })
  return { upstream, received }
}

const bodyIn = (request: string) => request.slice(request.indexOf('\r\n\r\n') + 4)

test('trailers of a request follow its last chunk over HTTP/1.1, and the connection is reused', async () => {
  const { upstream, received } = await recording('\r\n\r\n')
  await using server = upstream
  await using client = clientWith({ connections: 1 })
  const body = withTrailers(['hello', ' world'], ['X-Sum', '42', 'X-Sum', '43', 'Grpc-Status', '0'])
  assert.equal(await textOf(await send(client, exchangeFor('POST', server.url, { body }))), 'ok')
  assert.equal(await textOf(await send(client, exchangeFor('GET', server.url))), 'ok')
  assert.equal(
    bodyIn(received[0]!),
    '5\r\nhello\r\n6\r\n world\r\n0\r\nX-Sum: 42\r\nX-Sum: 43\r\nGrpc-Status: 0\r\n\r\n',
  )
  assert.match(received[0]!, /transfer-encoding: chunked\r\n/)
  assert.equal(bodyIn(received[1]!), '')
  assert.equal(server.accepted, 1)
})

for (const method of ['POST', 'GET']) {
  test(`${method}: trailers of an empty body are sent after an empty chunked body`, async () => {
    const { upstream, received } = await recording('X-Sum: 0\r\n\r\n')
    await using server = upstream
    await using client = clientWith()
    const body = withTrailers([], ['X-Sum', '0'])
    assert.equal(await textOf(await send(client, exchangeFor(method, server.url, { body }))), 'ok')
    assert.equal(bodyIn(received[0]!), '0\r\nX-Sum: 0\r\n\r\n')
    assert.match(received[0]!, /transfer-encoding: chunked\r\n/)
    assert.doesNotMatch(received[0]!, /content-length/)
  })
}

test('trailers of a buffered body are sent', async () => {
  const { upstream, received } = await recording('X-Sum: 42\r\n\r\n')
  await using server = upstream
  await using client = clientWith()
  const body = withTrailers(['hello'], ['X-Sum', '42'])
  await body.buffer(temporaryStorage())
  for (let i = 0; i < 2; i++) {
    assert.equal(await textOf(await send(client, exchangeFor('POST', server.url, { body }))), 'ok')
  }
  assert.deepEqual(received.map(bodyIn), Array(2).fill('5\r\nhello\r\n0\r\nX-Sum: 42\r\n\r\n'))
})

test('trailers of a body with Content-Length are dropped, and the body is complete', async () => {
  const { upstream, received } = await recording('hello')
  await using server = upstream
  await using client = clientWith({ connections: 1 })
  for (let i = 0; i < 2; i++) {
    const body = withTrailers(['hello'], ['X-Sum', '42'], 5)
    assert.equal(await textOf(await send(client, exchangeFor('POST', server.url, { body }))), 'ok')
  }
  assert.deepEqual(received.map(bodyIn), ['hello', 'hello'])
  assert.equal(server.accepted, 1)
})

test('a trailer with a line break is dropped', async () => {
  const { upstream, received } = await recording('\r\n\r\n')
  await using server = upstream
  await using client = clientWith()
  const trailers = ['X-A', '1\r\nX-Evil: 2', 'X B', '2', 'X-C', '3']
  await send(client, exchangeFor('POST', server.url, { body: withTrailers(['hello'], trailers) }))
  assert.equal(bodyIn(received[0]!), '5\r\nhello\r\n0\r\nX-C: 3\r\n\r\n')
})

test('trailers are sent to a proxy', async () => {
  const { upstream, received } = await recording('X-Sum: 42\r\n\r\n')
  await using server = upstream
  const proxy: ProxyOptions = {
    key: 'trailers',
    proxyFor: () => ({ hostname: '127.0.0.1', port: Number(new URL(server.url).port), authorization: () => null }),
  }
  await using client = clientWith({ proxy })
  await send(client, exchangeFor('POST', 'http://app.invalid/', { body: withTrailers(['a'], ['X-Sum', '42']) }))
  assert.match(received[0]!, /^POST http:\/\/app\.invalid\/ HTTP\/1\.1\r\n/)
})

test('a client, the gateway and a server of node:http: trailers arrive, those of framing, routing and authentication do not (B32)', async () => {
  await using upstream = await httpUpstream((request, response) => {
    request.resume()
    request.on('end', () => response.end(JSON.stringify(request.rawTrailers)))
  })
  await using gateway = await startProxy(upstream.url)
  const forbidden = ['Authorization: Basic eDp5', 'Host: evil', 'Cookie: a=b', 'Content-Type: text/x']
  const answer = await converse(
    gateway.port,
    `POST / HTTP/1.1\r\nHost: a\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n` +
      `5\r\nhello\r\n0\r\nX-Sum: 42\r\n${forbidden.join('\r\n')}\r\n\r\n`,
  )
  assert.match(answer, /\["X-Sum","42"\]/)
})

test('OPTIONS * is sent in asterisk-form, and the connection is reused', async () => {
  const heads: string[] = []
  await using upstream = await rawUpstream((socket, head) => {
    heads.push(head.split('\r\n')[0]!)
    socket.write('HTTP/1.1 204 No Content\r\nAllow: GET\r\n\r\n')
  })
  await using gateway = await startProxy(upstream.url, { client: { connections: 1 } })
  for (const target of ['*', '/*', '*']) {
    const answer = await converse(gateway.port, `OPTIONS ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
    assert.match(answer, /^HTTP\/1\.1 204 /)
  }
  assert.deepEqual(heads, ['OPTIONS * HTTP/1.1', 'OPTIONS /* HTTP/1.1', 'OPTIONS * HTTP/1.1'])
  assert.equal(upstream.accepted, 1)
})

test('OPTIONS * through a proxy is sent with a URI without path (RFC 9112 section 3.2.4)', async () => {
  const lines: string[] = []
  await using server = await rawUpstream((socket, head) => {
    lines.push(head.split('\r\n')[0]!)
    socket.write('HTTP/1.1 204 No Content\r\n\r\n')
  })
  const proxy: ProxyOptions = {
    key: 'asterisk',
    proxyFor: () => ({ hostname: '127.0.0.1', port: Number(new URL(server.url).port), authorization: () => null }),
  }
  await using client = clientWith({ proxy })
  const exchange = exchangeFor('OPTIONS', 'http://app.invalid:8081/')
  exchange.request.uri.rawPath = '*'
  await send(client, exchange)
  assert.deepEqual(lines, ['OPTIONS http://app.invalid:8081 HTTP/1.1'])
})

test('a request with TE: trailers names TE in Connection (RFC 9110 section 10.1.4)', async () => {
  await using upstream = await httpUpstream((request, response) => {
    response.end(`${request.headers.te} ${request.headers.connection}`)
  })
  await using client = clientWith()
  const asked = await send(client, exchangeFor('GET', upstream.url, { headers: { TE: 'trailers' } }))
  assert.equal(await textOf(asked), 'trailers keep-alive, TE')
  for (const headers of [{}, { 'X-List': 'TE' }]) {
    const plain = await send(client, exchangeFor('GET', upstream.url, { headers }))
    assert.equal(await textOf(plain), 'undefined keep-alive')
  }
})

test('B32: Content-Length in the trailers of a request is rejected, and the server gets no complete request', async () => {
  let whole = 0
  await using upstream = await httpUpstream((request, response) => {
    request.resume()
    request.on('error', () => {})
    request.on('end', () => {
      whole++
      response.end()
    })
  })
  await using gateway = await startProxy(upstream.url)
  const answer = await converse(
    gateway.port,
    'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nContent-Length: 3\r\n\r\n',
  )
  assert.match(answer, /^HTTP\/1\.1 400 /)
  await waitUntil('the upstream connections were closed', () => upstream.sockets.size === 0)
  assert.equal(whole, 0)
})

test('B15: trailers can not override a field of the head, in any spelling', async () => {
  const { upstream, received } = await recording('\r\n\r\n')
  await using server = upstream
  await using client = clientWith()
  const body = withTrailers(['hello'], ['X-User', 'evil', 'x_user', 'evil', 'X.USER', 'evil', 'X-Sum', '1'])
  await send(client, exchangeFor('POST', server.url, { body, headers: { 'X-User': 'alice' } }))
  assert.equal(bodyIn(received[0]!), '5\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n')
})
